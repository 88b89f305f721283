// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesLoader
import EavesRegistry

/// Calls the entry point again, as a host does that lives on after a swap.
enum RegistersTwiceCheck: DirectCheck {
    static let id = "registers-twice"
    static let meaning = "it registers the same again in a host that knows nothing of it"
    static let needs = [DeclarationKeptCheck.id]
    static let isWhatHostsDo = false

    static func run(_ trial: Trial) throws -> Finding {
        let first = Set(try trial.register().registrations.map { Need($0.request) })
        let registrar = trial.makeRegistrar()
        try trial.load().register(in: registrar) { _ in }
        let second = Set(registrar.registrations.map { Need($0.request) })
        let differing = first.symmetricDifference(second).map(\.description).sorted()
        guard !differing.isEmpty else { return .passed }
        return trial.failure(
            "registers something else the second time: \(differing.joined(separator: ", "))",
            fix: "register everything on each call, whatever was registered before")
    }
}
