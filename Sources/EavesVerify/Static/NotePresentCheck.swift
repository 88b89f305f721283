// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// Looks for the note.
enum NotePresentCheck: StaticCheck {
    static let id = "note-present"
    static let meaning = "it bears the note by which a module says what it is"
    static let needs = [MachineCheck.id]

    static func run(_ subject: Subject) -> Finding {
        switch subject.ownProblem {
        case .note(.absent), .note(.otherType): subject.finding(subject.ownProblem)
        default: .passed
        }
    }
}
