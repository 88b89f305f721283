// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// The rule between layers: a module of the layer `core` uses no service that only features provide,
/// because it could not be used without them.
package struct LayerRule: Sendable {
    /// The fix for a module that breaks the rule.
    package static let fix =
        "let a module of the layer 'core' provide it, or give this one another 'layer' in its "
        + "module.json and rebuild it"

    private struct Provider {
        let id: String
        let layer: Layer
        let service: String
    }

    /// By the names of services that are not qualified.
    private var providers: [String: [Provider]] = [:]

    /// Knows of no module yet.
    package init() {}

    /// Adds a module whose services others can use.
    ///
    /// - Parameter id: The id that the module has in its manifest.
    package mutating func add(_ declaration: ModuleDeclaration, id: String) {
        for provision in declaration.provides {
            providers[ServiceName.word(provision.service), default: []]
                .append(Provider(id: id, layer: declaration.layer, service: provision.service))
        }
    }

    /// The services that a module uses and must not use, in the order given.
    package func upwardNeeds(
        of declaration: ModuleDeclaration?, using services: [String]
    ) -> [UpwardNeed] {
        guard let declaration, declaration.layer == .core else { return [] }
        return services.compactMap { service in
            let providers = providers(of: service)
            guard !declaration.provides(service), !providers.isEmpty,
                providers.allSatisfy({ $0.layer == .feature })
            else { return nil }
            return UpwardNeed(
                service: ServiceName.word(service), providers: Set(providers.map(\.id)).sorted())
        }
    }

    /// Whether some module provides a service.
    package func isProvided(_ service: String) -> Bool { !providers(of: service).isEmpty }

    private func providers(of service: String) -> [Provider] {
        providers[ServiceName.word(service), default: []]
            .filter { ServiceName.agree($0.service, service) }
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
