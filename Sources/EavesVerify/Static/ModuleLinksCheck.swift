// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for modules among the libraries.
enum ModuleLinksCheck: StaticCheck {
    static let id = "module-links"
    static let meaning = "it is linked to no other module"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.linkProblem() }
    }
}
