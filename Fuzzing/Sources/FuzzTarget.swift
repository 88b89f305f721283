// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// What is fuzzed: each reads text or bytes that anybody could have put into a folder.
///
/// A target traps if a reader does what it must not, which libFuzzer reports with the input.
enum FuzzTarget: String, CaseIterable {
    /// The file of a module: header, notes, dynamic section, symbols.
    case module
    /// The JSON in a module's note.
    case note
    /// `manifest.json`, and all edits of it.
    case manifest
    /// `module.json`.
    case declaration
    /// Any JSON, and edits of it.
    case json

    /// The one that `EAVES_FUZZ` names.
    static let chosen: FuzzTarget = {
        let name = Environment.current["EAVES_FUZZ"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            preconditionFailure(
                "EAVES_FUZZ has to be one of \(allCases.map(\.rawValue)), not '\(name)'")
        }
        return target
    }()

    func check(_ bytes: [UInt8]) {
        switch self {
        case .module: ModuleCheck.run(bytes)
        case .note: NoteCheck.run(bytes)
        case .manifest: ManifestCheck.run(bytes)
        case .declaration: DeclarationCheck.run(bytes)
        case .json: JSONCheck.run(bytes)
        }
    }
}
