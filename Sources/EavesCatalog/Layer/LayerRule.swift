// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a layer may need of others: a module of the layer `core` needs no service that only
/// features provide, or it could not be had without them.
package struct LayerRule: Sendable {
    /// What to do about a module that breaks it.
    package static let fix =
        "let a module of the layer 'core' provide it, or give this one another 'layer' in its "
        + "module.json and rebuild it"

    private let providers: [String: [(id: String, layer: Layer)]]

    /// - Parameter entries: All modules there are.
    package init(among entries: [CatalogEntry]) {
        var providers: [String: [(id: String, layer: Layer)]] = [:]
        for entry in entries where entry.isEnabled && !entry.isDuplicate {
            guard let declaration = entry.declaration else { continue }
            for provision in declaration.provides {
                providers[provision.service, default: []].append((entry.id, declaration.layer))
            }
        }
        self.providers = providers
    }

    /// Those of the services that a module uses which it must not, in their order.
    package func upwardNeeds(of entry: CatalogEntry, using services: [String]) -> [UpwardNeed] {
        guard let declaration = entry.declaration, declaration.layer == .core else { return [] }
        return services.compactMap { service in
            guard !declaration.provides(service), let providers = providers[service],
                providers.allSatisfy({ $0.layer == .feature })
            else { return nil }
            return UpwardNeed(service: service, providers: Set(providers.map(\.id)).sorted())
        }
    }

    /// Whether some module provides a service.
    package func isProvided(_ service: String) -> Bool { providers[service] != nil }

    /// The same modules; those whose declaration breaks the rule say so.
    ///
    /// - Parameter providers: All modules that provide one of these services, and maybe others.
    static func applied(
        to entries: [CatalogEntry], among providers: (Set<String>) -> [CatalogEntry]
    ) -> [CatalogEntry] {
        // Most modules are no core modules with needs: then there is nothing to look up.
        let suspects = entries.indices.filter {
            guard let declaration = entries[$0].declaration else { return false }
            return entries[$0].state == .ready && declaration.layer == .core
                && !declaration.requires.isEmpty
        }
        guard !suspects.isEmpty else { return entries }
        let services = Set(suspects.flatMap { entries[$0].declaration?.requires ?? [] })
        let rule = LayerRule(among: providers(services))
        var entries = entries
        for index in suspects {
            let services = entries[index].declaration?.requires ?? []
            let needs = rule.upwardNeeds(of: entries[index], using: services)
            if !needs.isEmpty { entries[index].problem = .layer(needs) }
        }
        return entries
    }
}

extension CatalogEntry {
    fileprivate var isDuplicate: Bool {
        if case .duplicateID = problem { true } else { false }
    }
}
