// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// Says what the catalog finds in the manifest, beside the file.
enum ManifestEntryCheck: StaticCheck {
    static let id = "manifest-entry"
    static let meaning =
        "the manifest can use it: its id is its own, and nothing there contradicts it"

    static func run(_ subject: Subject) -> Finding {
        guard subject.manifest != nil else { return .skipped("there is no manifest") }
        switch subject.entry.problem {
        case .otherID, .duplicateID, .cannotIsolate, .declaration, .unknownModule:
            return subject.finding(subject.entry.problem)
        default:
            return .passed
        }
    }
}
