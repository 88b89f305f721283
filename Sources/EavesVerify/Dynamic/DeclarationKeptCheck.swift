// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesHost
import EavesRegistry

/// Compares what was registered with the note.
enum DeclarationKeptCheck: DirectCheck {
    static let id = "declaration"
    static let meaning = "it registers what it declares, no more and no less, and nothing twice"
    static let needs = [RegistersCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        let registrar = try trial.register()
        if let declaration = trial.entry.declaration {
            try DeclarationCheck.run(registrar.registrations, against: declaration)
        }
        _ = try trial.commit()
        return .passed
    }
}
