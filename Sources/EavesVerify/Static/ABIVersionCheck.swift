// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// Compares the versions of `eaves.h`.
enum ABIVersionCheck: StaticCheck {
    static let id = "abi-version"
    static let meaning = "it is built for this host's version of the C ABI"
    static let needs = [NotePresentCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard let tag = subject.file.tag else { return .skipped("its note does not say") }
        return subject.fit(of: BuildTag(abi: tag.abi))
    }
}
