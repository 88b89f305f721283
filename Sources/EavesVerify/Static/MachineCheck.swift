// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
import EavesHost

/// Compares class, byte order and machine.
enum MachineCheck: StaticCheck {
    static let id = "machine"
    static let meaning = "it is built for this machine"
    static let needs = [ELFReadableCheck.id]

    static func run(_ subject: Subject) -> Finding {
        let host = subject.profile.machine
        switch subject.view {
        case .success(let view) where view.report.machine != host:
            return subject.finding(.incompatible(.machine(built: view.report.machine, host: host)))
        case .success: return .passed
        case .failure(let problem): return subject.finding(.binary(problem))
        }
    }
}
