// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// What launching a feature needs, found from declarations alone: nothing has run yet.
struct Plan: Sendable {
    /// The module of the feature.
    let module: CatalogEntry
    /// All modules that are needed by declaration, needs before those who need them.
    let modules: [CatalogEntry]

    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - choices: Who provides what.
    ///   - isOwn: Whether the host itself provides something, so that no module has to.
    /// - Throws: ``PlanError`` with every problem, not only the first.
    init(
        launching feature: String, _ choices: Choices, unless isOwn: @escaping (Need) -> Bool
    ) throws(PlanError) {
        var walk = Walk(choices: choices, isOwn: isOwn)
        let module = walk.visit(.feature(feature), for: [])
        guard let module, walk.problems.isEmpty else { throw PlanError(problems: walk.problems) }
        self.module = module
        modules = walk.found
    }

    /// Goes from need to need, each module once.
    private struct Walk {
        let choices: Choices
        let isOwn: (Need) -> Bool
        var found: [CatalogEntry] = []
        var problems: [PlanProblem] = []
        /// The needs in words: a set of texts is what the process has anyway.
        private var seen: Set<String> = []
        private var entered: Set<String> = []

        init(choices: Choices, isOwn: @escaping (Need) -> Bool) {
            self.choices = choices
            self.isOwn = isOwn
        }

        mutating func visit(_ need: Need, for chain: [String]) -> CatalogEntry? {
            guard seen.insert(need.description).inserted, !isOwn(need) else { return nil }
            do throws(PlanProblem) {
                guard let entry = try choices.provider(of: need, for: chain) else { return nil }
                guard entered.insert(entry.id).inserted else { return entry }
                for service in entry.declaration?.requires ?? [] {
                    _ = visit(.service(service, name: nil), for: chain + [entry.id])
                }
                found.append(entry)
                return entry
            } catch {
                problems.append(error)
                return nil
            }
        }
    }
}
