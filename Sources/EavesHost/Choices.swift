// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesManifest

/// Which module provides what: the catalog, and the manifest's bindings where several do.
struct Choices: Sendable {
    let catalog: Catalog
    private let manifest: Manifest

    /// Reads the catalog.
    init(manifest: Manifest) {
        self.manifest = manifest
        catalog = Catalog(manifest: manifest, profile: .current)
    }

    /// Looks only at what it is asked for; `nil` if not enough is known for that.
    init?(narrow manifest: Manifest) {
        guard let catalog = Catalog(narrow: manifest, profile: .current) else { return nil }
        self.manifest = manifest
        self.catalog = catalog
    }

    /// The host's own services, which no module has to provide.
    static let own: Set<String> = [ServiceRequest((any Routing).self).service]

    /// The module to load for a need; `nil` if the host itself provides it.
    ///
    /// - Parameters:
    ///   - need: What is asked for.
    ///   - chain: Who asks, outermost first, for the message.
    /// - Throws: ``PlanProblem`` if there is none, or several and no binding.
    func provider(
        of need: Need, for chain: [String] = []
    ) throws(PlanProblem) -> CatalogEntry? {
        if case .service(let service, _) = need, Self.own.contains(service) { return nil }
        let declaring = modules(declaring: need)
        let usable = declaring.filter(\.isAvailable)
        if case .service(let service, let name) = need, let bound = manifest.binding(of: service) {
            if let entry = usable.first(where: { $0.id == bound }) { return entry }
            // A named implementation may well come from a module that is bound to nothing.
            if name != nil, let entry = usable.first, usable.count == 1 { return entry }
            throw PlanProblem.unusableBinding(
                service: service, module: bound, entry: catalog.entry(bound), chain: chain)
        }
        if let entry = usable.first, usable.count == 1 { return entry }
        if usable.isEmpty {
            throw PlanProblem.nobody(
                need, unusable: declaring, obstacles: obstacles, known: known(like: need),
                chain: chain)
        }
        throw PlanProblem.several(need, modules: usable.map(\.id), chain: chain)
    }

    /// Every module that provides a service, under whatever name, and can be had: in the order of
    /// their ids.
    func providers(ofAll service: String) -> [CatalogEntry] {
        Self.own.contains(service) ? [] : catalog.modules(providing: service).filter(\.isAvailable)
    }

    /// What keeps modules from saying what they provide.
    private var obstacles: [Diagnostic] {
        catalog.entries.filter { $0.declaration == nil && $0.isEnabled }.flatMap(\.diagnostics)
            + catalog.diagnostics
    }

    private func known(like need: Need) -> [String] {
        switch need {
        case .feature: catalog.entries.flatMap { $0.declaration?.features.map(\.name) ?? [] }
        case .service: catalog.entries.flatMap { $0.declaration?.provides.map(\.service) ?? [] }
        }
    }

    private func modules(declaring need: Need) -> [CatalogEntry] {
        switch need {
        case .feature(let feature): catalog.modules(offering: feature)
        case .service(let service, let name): catalog.modules(providing: service, name: name)
        }
    }
}
