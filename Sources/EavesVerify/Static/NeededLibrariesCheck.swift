// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// Looks for libraries as the dynamic linker would.
enum NeededLibrariesCheck: StaticCheck {
    static let id = "needed-libraries"
    static let meaning = "the libraries that it is linked to are on this machine"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding { $0.libraryProblem() }
    }
}
