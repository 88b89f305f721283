// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// Compares the series of the Swift compiler.
enum CompilerCheck: StaticCheck {
    static let id = "compiler"
    static let meaning = "it is built with a compiler of this host's Swift series"
    static let needs = [NotePresentCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard let compiler = subject.file.tag?.compiler else {
            return .skipped("it was not built with Swift")
        }
        return subject.fit(of: BuildTag(abi: subject.profile.abi, compiler: compiler))
    }
}
