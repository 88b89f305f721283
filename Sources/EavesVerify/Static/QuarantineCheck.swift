// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog

/// Says whether a host would keep it out because it crashed.
enum QuarantineCheck: StaticCheck {
    static let id = "quarantine"
    static let meaning = "it is not quarantined for earlier crashes"

    static func run(_ subject: Subject) -> Finding {
        guard subject.manifest != nil else { return .skipped("there is no manifest") }
        guard case .quarantined = subject.entry.problem else { return .passed }
        return .warned(subject.entry.diagnostics)
    }
}
