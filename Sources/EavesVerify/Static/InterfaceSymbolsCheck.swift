// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for symbols of the interface that the host lacks.
enum InterfaceSymbolsCheck: StaticCheck {
    static let id = "interface-symbols"
    static let meaning = "this host has all that it uses of the interface"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.interfaceProblem() }
    }
}
