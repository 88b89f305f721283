// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for the one function that a module exports.
enum EntryPointCheck: StaticCheck {
    static let id = "entry-point"
    static let meaning = "it exports the function 'eaves_register'"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.entryProblem() }
    }
}
