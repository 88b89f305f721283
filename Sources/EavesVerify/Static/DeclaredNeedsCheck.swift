// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost

/// Looks for services that the binary uses.
enum DeclaredNeedsCheck: StaticCheck {
    static let id = "declared-needs"
    static let meaning = "it declares the services of other modules that it uses"
    static let needs = [NoteValidCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard case .success(let view) = subject.view else { return .passed }
        let services = view.undeclaredServices()
        guard !services.isEmpty else { return .passed }
        return .warned([
            Diagnostic(
                "uses \(services.joined(separator: ", ")), which its 'requires' does not name",
                fix: "add it to 'requires' in module.json, and rebuild it", code: .badData
            ).naming(subject.entry.id, subject.entry.path)
        ])
    }
}
