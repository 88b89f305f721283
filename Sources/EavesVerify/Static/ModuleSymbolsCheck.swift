// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for symbols that other modules have.
enum ModuleSymbolsCheck: StaticCheck {
    static let id = "module-symbols"
    static let meaning = "it uses no symbol of another module"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.foreignSymbolProblem() }
    }
}
