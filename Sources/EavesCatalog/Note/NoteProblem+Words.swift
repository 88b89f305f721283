// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

extension NoteProblem {
    /// What is wrong, without the file.
    var message: String {
        switch self {
        case .absent: "no Eaves module: it has no '.note.package' note"
        case .otherType(let type):
            "no Eaves module: its package note is of type \(type.quoted), expected 'eaves'"
        case .syntax(let error): "its note is not JSON: \(error)"
        case .declaration(let problems):
            "its note is wrong: " + problems.map(\.message).joined(separator: "; ")
        }
    }
}
