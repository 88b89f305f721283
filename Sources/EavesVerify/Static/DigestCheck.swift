// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesSystem

/// Compares the file with what the manifest pins.
enum DigestCheck: StaticCheck {
    static let id = "digest"
    static let meaning = "it is the very file that the manifest pins"
    static let needs = [ELFReadableCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard let pinned = subject.entry.sha256 else {
            return .skipped("the manifest pins no digest")
        }
        do {
            let found = try SHA256.digest(of: OpenFile(reading: subject.entry.file)).hex
            guard found == pinned else {
                return subject.failure(BinaryFault.digest(expected: pinned, found: found))
            }
            return .passed
        } catch {
            return subject.failure(error)
        }
    }
}
