// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost

/// Compares layers, by what the module declares and by what its binary uses.
enum LayerCheck: StaticCheck {
    static let id = "layer"
    static let meaning = "if it is a core module, it needs nothing that only features provide"
    static let needs = [NoteValidCheck.id]

    static func run(_ subject: Subject) -> Finding {
        if case .layer = subject.entry.problem { return subject.finding(subject.entry.problem) }
        return subject.finding { $0.layerProblem() }
    }
}
