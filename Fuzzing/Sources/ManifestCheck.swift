// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// Reads a text as `manifest.json` and edits it. Every edit must lead to a valid manifest.
enum ManifestCheck {
    static func run(_ bytes: [UInt8]) {
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(path: "/nowhere/manifest.json", bytes: bytes)
        } catch {
            precondition(!error.problems.isEmpty)
            return MessageCheck.run(error.diagnostics)
        }
        var random = SplitMix64(of: bytes)
        do throws(ManifestError) {
            var editor = try ManifestEditor(path: "/nowhere/manifest.json", bytes: bytes)
            precondition(!editor.isChanged && editor.bytes == bytes)
            for _ in 0..<4 { try edit(&editor, &random) }
            precondition(editor.manifest.directories == manifest.directories)
            precondition(editor.manifest.compilers == manifest.compilers)
            precondition(editor.manifest.launch == manifest.launch)
        } catch {
            preconditionFailure("an edit of a manifest is refused: \(error.diagnostics)")
        }
    }

    /// Makes one edit, with a name of the manifest or a new one.
    private static func edit(
        _ editor: inout ManifestEditor, _ random: inout SplitMix64
    ) throws(ManifestError) {
        let manifest = editor.manifest
        let id =
            (manifest.modules.map(\.id) + manifest.bindings.flatMap(\.modules) + ["new-one"])
            .randomElement(using: &random) ?? "new-one"
        let service =
            (manifest.bindings.map(\.key.text) + ["Service", "A.B", "A.B#c=#d"])
            .randomElement(using: &random) ?? "Service"
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            _ = try editor.swap(service, exactly: true, to: id)
            precondition(editor.manifest.binding(BindingKey(text: service))?.target == .module(id))
        case 1:
            let isEnabled = Bool.random(using: &random)
            try editor.setEnabled(id, isEnabled)
            precondition((editor.manifest.entry(id)?.isEnabled ?? true) == isEnabled)
        case 2:
            try editor.add(id, library: "new \u{e4}.so")
            precondition(editor.manifest.entry(id)?.library == "new \u{e4}.so")
            precondition(editor.manifest.entry(id)?.sha256 == nil)
        case 3:
            let digest = String(repeating: "0a", count: 32)
            try editor.add(id, library: "other.so", sha256: digest)
            precondition(editor.manifest.entry(id)?.sha256 == digest)
        default:
            try editor.remove(id)
            precondition(editor.manifest.entry(id) == nil)
            precondition(!editor.manifest.bindings.contains { $0.modules.contains(id) })
        }
    }
}
