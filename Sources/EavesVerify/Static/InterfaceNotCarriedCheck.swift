// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for symbols of the interface that the module defines.
enum InterfaceNotCarriedCheck: StaticCheck {
    static let id = "interface-not-carried"
    static let meaning = "it carries no copy of the interface, whose types would not be the host's"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.copyProblem() }
    }
}
