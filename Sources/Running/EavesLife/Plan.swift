// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesDiagnostics
package import EavesInterface
package import EavesManifest

/// The modules that launching a feature needs, found from declarations alone: no code has run yet.
package struct Plan: Sendable {
    package let module: CatalogEntry
    /// All modules that are needed by declaration; each stands before those that require it. Those that
    /// the feature may ask for by names that it learns later are among them.
    package let modules: [CatalogEntry]

    /// - Parameters:
    ///   - bindings: The bindings that decide; those of the manifest if `nil`.
    ///   - isOwn: Whether the program itself provides something, so that no module has to.
    /// - Throws: ``PlanError`` with every problem, not only the first.
    package init(
        launching feature: String, _ catalog: Catalog, bound bindings: ChosenBindings? = nil,
        unless isOwn: @escaping (Capability) -> Bool
    ) throws(PlanError) {
        var walk = Walk(catalog: catalog, bindings: bindings, isOwn: isOwn)
        let module = walk.visit(.feature(feature), neededBy: [])
        guard let module, walk.problems.isEmpty else { throw PlanError(problems: walk.problems) }
        self.module = module
        modules = walk.found
    }

    /// Goes from requirement to requirement, through each module once.
    private struct Walk {
        let catalog: Catalog
        let bindings: ChosenBindings?
        let isOwn: (Capability) -> Bool
        var found: [CatalogEntry] = []
        var problems: [ProviderError] = []
        /// Capabilities in words: every process has sets of strings already, and a set of another type
        /// would cost its generic code a search through the process.
        var seen: Set<String> = []
        var entered: Set<String> = []

        mutating func visit(_ capability: Capability, neededBy chain: [String]) -> CatalogEntry? {
            guard seen.insert(capability.key).inserted, !isOwn(capability) else {
                return nil
            }
            do throws(ProviderError) {
                let provider =
                    if case .service(let service, nil) = capability {
                        try catalog.provider(required: service, neededBy: chain, bound: bindings)
                    } else {
                        try catalog.provider(of: capability, neededBy: chain, bound: bindings)
                    }
                guard let entry = provider else {
                    visitNamed(capability, neededBy: chain)
                    return nil
                }
                guard entered.insert(entry.id).inserted else { return entry }
                for service in entry.declaration?.requires ?? [] {
                    _ = visit(.service(service, name: nil), neededBy: chain + [entry.id])
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

        /// Visits the modules that provide a service under names alone, one of which will be asked for by
        /// a name that is not known yet: they cannot be built while the feature runs. Their problems
        /// are told when they are asked for.
        private mutating func visitNamed(_ capability: Capability, neededBy chain: [String]) {
            guard case .service(let service, nil) = capability else { return }
            let before = problems
            for name in catalog.names(ofUnnamed: service) {
                _ = visit(.service(service, name: name), neededBy: chain)
            }
            problems = before
        }
    }
}

/// A feature cannot be launched with the modules as they are.
package struct PlanError: Error, Sendable {
    /// Everything that is in the way; never empty.
    package let problems: [ProviderError]
    /// Other messages that may name the reason.
    package let obstacles: [Diagnostic]

    package init(problems: [ProviderError], obstacles: [Diagnostic] = []) {
        self.problems = problems
        self.obstacles = obstacles
    }
}

extension PlanError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        // Several missing providers may have the same obstacles.
        var said: Set<Diagnostic> = []
        return (problems.flatMap(\.diagnostics) + obstacles).filter { said.insert($0).inserted }
    }
}

extension Capability {
    /// The capability that a request asks for. Features are registered as services of the type `Feature`, under their
    /// names.
    package init(_ request: ServiceRequest) {
        if request.qualifiedService == Self.featureService {
            self = .feature(request.name ?? "")
        } else {
            self = .service(request.qualifiedService, name: request.name)
        }
    }

    private static let featureService = ServiceRequest((any Feature).self).qualifiedService

    /// The key of the binding that decides about it; `nil` for a feature.
    package var bindingKey: BindingKey? {
        guard case .service(let service, let name) = self else { return nil }
        return BindingKey(service, name: name)
    }
}
