// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest

/// Checks the signature beside the file, if the manifest wants one.
enum SignedCheck: StaticCheck {
    static let id = "signature"
    static let meaning = "it is signed by somebody whose signature counts"
    static let needs = [ELFReadableCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard let manifest = subject.manifest, manifest.signatures == .required else {
            return .skipped("the manifest wants no signature")
        }
        var entry = subject.entry
        // The digest has a check of its own.
        entry.sha256 = nil
        do {
            try BinaryCheck.checkDemands(entry.file, of: entry, in: manifest)
            return .passed
        } catch {
            return subject.failure(error)
        }
    }
}
