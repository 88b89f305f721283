// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics

/// The rule between layers: a module of the layer `core` uses no service that only features provide,
/// because it could not be used without them.
package struct LayerRule: Sendable {
    /// The fix for a module that breaks the rule.
    package static let fix =
        "let a module of the layer 'core' provide it, or give this one another 'layer' in its "
        + "module.json and rebuild it"

    private let providers: [String: [(id: String, layer: Layer)]]

    /// - Parameter entries: All modules.
    package init(among entries: [CatalogEntry]) {
        var providers: [String: [(id: String, layer: Layer)]] = [:]
        for entry in entries where entry.isEnabled && entry.isUsed {
            guard let declaration = entry.declaration else { continue }
            for provision in declaration.provides {
                providers[provision.service, default: []].append((entry.id, declaration.layer))
            }
        }
        self.providers = providers
    }

    /// The services that a module uses and must not use, in the order given.
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

    /// Returns the same modules. Each one whose declaration breaks the rule gets the problem `layer`.
    ///
    /// - Parameter providers: Gives all modules that provide one of the services. It may give more.
    static func applied(
        to entries: [CatalogEntry], among providers: (Set<String>) -> [CatalogEntry]
    ) -> [CatalogEntry] {
        // Most modules are not core modules with needs: then there is nothing to look up.
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

/// A service that a module of the layer `core` uses and that only features provide.
package struct UpwardNeed: Hashable, Sendable {
    package let service: String
    /// The ids of the modules that provide it, sorted. Never empty.
    package let providers: [String]

    package init(service: String, providers: [String]) {
        self.service = service
        self.providers = providers
    }
}

extension UpwardNeed: CustomStringConvertible {
    /// For example `UserService (of login)`.
    package var description: String {
        "\(service) (of \(providers.abridged(by: ", ")))"
    }
}
