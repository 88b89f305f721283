// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the note.
enum NoteValidCheck: StaticCheck {
    static let id = "note-valid"
    static let meaning = "all that the note declares can be read"
    static let needs = [NotePresentCheck.id]

    static func run(_ subject: Subject) -> Finding {
        subject.finding(subject.ownProblem)
    }
}
