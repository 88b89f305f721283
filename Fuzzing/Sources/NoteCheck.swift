// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesJSON

/// Reads a text as the JSON of a note. What is read and written again is the same.
enum NoteCheck {
    static func run(_ bytes: [UInt8]) {
        do throws(NoteProblem) {
            let note = try ModuleNote(json: bytes)
            let written = Array(note.json.text(pretty: false).utf8)
            guard let again = try? ModuleNote(json: written) else {
                preconditionFailure("cannot read back \(note.json.text(pretty: false))")
            }
            precondition(again == note)
        } catch {
            if case .declaration(let problems) = error { precondition(!problems.isEmpty) }
        }
    }
}
