// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for symbols that nobody has.
enum SymbolsCheck: StaticCheck {
    static let id = "symbols"
    static let meaning = "the host or a library has every symbol that it uses"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.symbolProblem() }
    }
}
