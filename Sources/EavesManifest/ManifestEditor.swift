// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem

/// Changes a manifest: load, change, save.
///
/// What is not changed stays byte for byte as it was. A change that would make the manifest wrong is
/// refused when it is made, and what was made before it stays.
package struct ManifestEditor: Sendable {
    /// The manifest with all changes so far.
    package private(set) var manifest: Manifest
    private let path: String
    private var saved: [UInt8]
    private var text: JSONEditor

    package init(_ path: String) throws(ManifestError) {
        self.path = path
        saved = try ManifestFile.read(path)
        manifest = try Manifest(path: path, bytes: saved)
        do {
            text = try JSONEditor(saved)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error), at: error.position)])
        }
    }

    /// Whether ``save()`` has something to write.
    package var isChanged: Bool { text.bytes != saved }

    /// The text with all changes so far.
    package var bytes: [UInt8] { text.bytes }

    package mutating func bind(
        _ service: String, to module: String
    ) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.bindings, service], to: .string(module))
        }
    }

    package mutating func unbind(_ service: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.remove([.bindings, service])
        }
    }

    /// Switches a module on or off. One without an entry is on, and gets one to be off.
    package mutating func setEnabled(_ id: String, _ isEnabled: Bool) throws(ManifestError) {
        guard (manifest.entry(id)?.isEnabled ?? true) != isEnabled else { return }
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .enabled], to: .bool(isEnabled))
        }
    }

    /// Lists a module, or changes which file an entry stands for; its other keys stay.
    ///
    /// - Parameter sha256: What the file must hash to. Without it an older digest, which was that of
    ///   another file, is removed.
    package mutating func add(
        _ id: String, library: String, sha256: String? = nil
    ) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .library], to: .string(library))
            if let sha256 {
                try text.set([.modules, id, .sha256], to: .string(sha256))
            } else {
                try text.remove([.modules, id, .sha256])
            }
        }
    }

    /// Pins a module to a digest, or to none any more. One without an entry gets one to be pinned;
    /// an entry that says nothing else goes with the pin.
    package mutating func pin(_ id: String, to sha256: String?) throws(ManifestError) {
        guard manifest.entry(id)?.sha256 != sha256 else { return }
        try change { text throws(JSONSyntaxError) in
            if let sha256 {
                try text.set([.modules, id, .sha256], to: .string(sha256))
            } else {
                try text.remove([.modules, id, .sha256])
                let entry = try JSONNode.parse(text.bytes)[.modules]?[id]
                if entry?.members?.isEmpty == true { try text.remove([.modules, id]) }
            }
        }
    }

    /// Removes a module's entry and the bindings to it.
    package mutating func remove(_ id: String) throws(ManifestError) {
        let services = manifest.bindings.filter { $0.module == id }.map(\.service)
        try change { text throws(JSONSyntaxError) in
            try text.remove([.modules, id])
            for service in services { try text.remove([.bindings, service]) }
        }
    }

    /// Writes the changes in one step: whoever reads sees the old text or the new, never a part.
    /// Without changes the file is not touched. Through a symbolic link, its target is written.
    ///
    /// - Throws: Also if the file is no longer as it was loaded; it is then left alone.
    package mutating func save() throws(ManifestError) {
        guard isChanged else { return }
        guard try ManifestFile.read(path) == saved else {
            throw ManifestError(path, [ManifestProblem(.changedMeanwhile)])
        }
        do {
            try Files.replace(path, with: text.bytes)
        } catch {
            throw ManifestError(path, [ManifestProblem(.system(error))])
        }
        saved = text.bytes
    }

    private mutating func change(
        _ body: (inout JSONEditor) throws(JSONSyntaxError) -> Void
    ) throws(ManifestError) {
        var changed = text
        do throws(JSONSyntaxError) {
            try body(&changed)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error))])
        }
        do throws(ManifestError) {
            manifest = try Manifest(path: path, bytes: changed.bytes)
        } catch {
            // The places are those of a text that nobody sees.
            let problems = error.problems.map { ManifestProblem($0.kind, keys: $0.keys) }
            throw ManifestError(path, problems)
        }
        text = changed
    }
}

extension String {
    fileprivate static let bindings = ManifestKey.bindings.rawValue
    fileprivate static let modules = ManifestKey.modules.rawValue
    fileprivate static let library = ManifestKey.Module.library.rawValue
    fileprivate static let enabled = ManifestKey.Module.enabled.rawValue
    fileprivate static let sha256 = ManifestKey.Module.sha256.rawValue
}
