// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// The rule of direction between layers: core ← feature ← composition.
///
/// - A module of the layer `core` uses no service that only features or compositions provide, because it could
///   not be used without them. A protocol of an interface that it owns itself is another matter: that protocol
///   says what the module needs, and anybody above may fulfil it.
/// - Only the owner of an interface and the layers above the owner name it; see ``foreignOwner(_:for:layer:)``.
package struct LayerRule: Sendable {
    /// The fix for a core module that uses what only features or compositions provide.
    package static let fix =
        "let a module of the layer 'core' provide it, put its protocol into an interface that this module "
        + "owns, or give this one another 'layer' in its module.json and rebuild it"

    private struct Provider {
        let id: String
        let layer: Layer
        let service: String
    }

    /// By the names of services that are not qualified.
    private var providers: [String: [Provider]] = [:]

    package init() {}

    /// Adds a module whose services others can use.
    package mutating func add(_ declaration: ModuleDeclaration, id: String) {
        for provision in declaration.provides {
            providers[ServiceName.word(provision.service), default: []]
                .append(Provider(id: id, layer: declaration.layer, service: provision.service))
        }
    }

    /// The services that a module uses and must not use, in the order given.
    ///
    /// - Parameter isOwn: Whether a service is a protocol of an interface that the module owns. It is asked
    ///   only about services that the module must not use otherwise.
    package func upwardNeeds(
        of declaration: ModuleDeclaration?, using services: [String],
        unless isOwn: (String) -> Bool
    ) -> [UpwardNeed] {
        guard let declaration, declaration.layer == .core else { return [] }
        return services.compactMap { service in
            let providers = providers(of: service)
            guard !declaration.provides(service), !providers.isEmpty,
                providers.allSatisfy({ $0.layer != .core }), !isOwn(service)
            else { return nil }
            return UpwardNeed(
                service: ServiceName.word(service), providers: Set(providers.map(\.id)).sorted())
        }
    }

    package func isProvided(_ service: String) -> Bool { !providers(of: service).isEmpty }

    private func providers(of service: String) -> [Provider] {
        providers[ServiceName.word(service), default: []]
            .filter { ServiceName.agree($0.service, service) }
    }
}

/// A service that a module of the layer `core` uses and that only features or compositions provide.
package struct UpwardNeed: Hashable, Sendable, CustomStringConvertible {
    package let service: String
    /// The ids of the modules that provide it, sorted. Never empty.
    package let providers: [String]

    /// For example `UserService (of login)`.
    package var description: String {
        "\(service) (of \(providers.abridged(by: ", ")))"
    }
}

// MARK: - Interfaces that a module owns

extension LayerRule {
    /// The owner of an interface that keeps a module from naming the interface; `nil` if the module may name it.
    ///
    /// An interface without an owner is common: everybody may name it. An interface with an owner may be
    /// named by the owner, by compositions, and, if the owner is a core module, by features. An interface
    /// module counts as a part of its owner here: it may name what the owner may name. A common interface may
    /// not name an interface with an owner, because every module could reach that through it.
    ///
    /// If the owner is not there, its layer is not known, and the interface counts as one that a feature owns:
    /// taking a module away lets no module in that was kept out before.
    ///
    /// - Parameter layer: The layer of a module by its id; `nil` if there is no such module. It is not called
    ///   where the module is the owner or a composition.
    package static func foreignOwner(
        _ owner: String, for user: ModuleDeclaration, layer: (String) -> Layer?
    ) -> ForeignOwner? {
        let isOfOwner = (user.layer == .interface ? user.owner : user.id) == owner
        if isOfOwner || user.layer == .composition { return nil }
        let userLayer = user.layer == .interface ? user.owner.flatMap(layer) : user.layer
        if userLayer == .composition { return nil }
        let foreign = ForeignOwner(id: owner, layer: layer(owner))
        return userLayer == .feature && foreign.layer == .core ? nil : foreign
    }
}

/// The owner of an interface that another module uses and must not use.
package struct ForeignOwner: Hashable, Sendable {
    package let id: String
    /// `nil` if there is no such module.
    package let layer: Layer?

    /// To whom the interface belongs and who may use it, as the end of a sentence.
    package var claim: String {
        let owner =
            switch layer {
            case .core: "the core module '\(id)'"
            case .feature: "the feature '\(id)'"
            case .composition: "the composition '\(id)'"
            case .interface: "'\(id)', which is an interface itself"
            case nil: "'\(id)', which is not there"
            }
        let above =
            layer == .core ? "the layers 'feature' and 'composition'" : "the layer 'composition'"
        return "which belongs to \(owner): only '\(id)' and modules of \(above) may use it"
    }

    /// The fix for a module that uses the interface all the same.
    package static let fix =
        "share what both need through a common interface, which has no owner, or let a module of the layer "
        + "'composition' bridge the two"
}
