// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics

/// The modules that launching a feature needs, found from declarations alone: no code has run yet.
struct Plan: Sendable {
    /// The module of the feature.
    let module: CatalogEntry
    /// All modules that are needed by declaration; each stands before those that require it.
    let modules: [CatalogEntry]

    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - catalog: Says which module provides what.
    ///   - isOwn: Whether the program itself provides something, so that no module has to.
    /// - Throws: ``PlanError`` with every problem, not only the first.
    init(
        launching feature: String, _ catalog: Catalog,
        unless isOwn: @escaping (Capability) -> Bool
    ) throws(PlanError) {
        var walk = Walk(catalog: catalog, isOwn: isOwn)
        let module = walk.visit(.feature(feature), neededBy: []) { catalog throws(ProviderError) in
            try catalog.provider(of: .feature(feature))
        }
        guard let module, walk.problems.isEmpty else { throw PlanError(problems: walk.problems) }
        self.module = module
        modules = walk.found
    }

    /// Goes from requirement to requirement, through each module once.
    private struct Walk {
        let catalog: Catalog
        let isOwn: (Capability) -> Bool
        var found: [CatalogEntry] = []
        var problems: [ProviderError] = []
        /// Capabilities in words: every process has sets of strings already, and a set of another type
        /// would cost its generic code a search through the process.
        private var seen: Set<String> = []
        private var entered: Set<String> = []

        init(catalog: Catalog, isOwn: @escaping (Capability) -> Bool) {
            self.catalog = catalog
            self.isOwn = isOwn
        }

        mutating func visit(
            _ capability: Capability, neededBy chain: [String],
            provider: (Catalog) throws(ProviderError) -> CatalogEntry?
        ) -> CatalogEntry? {
            guard seen.insert(capability.key).inserted, !isOwn(capability) else {
                return nil
            }
            do throws(ProviderError) {
                guard let entry = try provider(catalog) else {
                    return nil
                }
                guard entered.insert(entry.id).inserted else { return entry }
                for service in entry.declaration?.requires ?? [] {
                    let chain = chain + [entry.id]
                    _ = visit(.service(service, name: nil), neededBy: chain) {
                        catalog throws(ProviderError) in
                        try catalog.provider(required: service, neededBy: chain)
                    }
                }
                for interface in catalog.interfaces(of: [entry])
                where entered.insert(interface.id).inserted {
                    found.append(interface)
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

/// A feature cannot be launched with the modules as they are.
package struct PlanError: Error, Sendable {
    /// Everything that is in the way; never empty.
    package let problems: [ProviderError]
    /// Other messages that may name the reason.
    package var obstacles: [Diagnostic] = []
}

extension PlanError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        // Several missing providers may have the same obstacles.
        var said: Set<Diagnostic> = []
        return (problems.flatMap(\.diagnostics) + obstacles).filter { said.insert($0).inserted }
    }
}
