// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import EavesRegistry

/// Lets go of what was made.
enum ServicesDroppedCheck: DirectCheck {
    static let id = "services-dropped"
    static let meaning = "every service that was made can be let go, and is gone then"
    static let needs = [ServicesCreatedCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        let container = try trial.commit()
        guard !trial.made.isEmpty else { return .skipped("no service was made") }
        container.unregister(module: trial.entry.id)
        for index in trial.made.indices { trial.made[index].value = nil }
        let kept = trial.made.filter { $0.object != nil }.map(\.request.description)
        guard !kept.isEmpty else { return .passed }
        return trial.warning(
            "\(kept.joined(separator: ", ")) stays alive after the host let go of it",
            fix: "look for a cycle of strong references, or for what keeps it")
    }
}
