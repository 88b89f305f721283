// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// A module's declaration: its id, what it provides and requires, and its features. `module.json` holds
/// it in the sources, and the note holds it in the binary.
package struct ModuleDeclaration: Hashable, Sendable {
    package static let fileName = "module.json"

    package var id: String
    package var version: String
    /// The purpose of the module, in one line. May be empty.
    package var summary: String
    package var layer: Layer
    package var provides: [Provision]
    package var requires: [String]
    package var features: [FeatureDeclaration]
    /// The interface modules that it is compiled against, in addition to the host's interface.
    package var interfaces: [InterfaceNeed]
    /// The id of the module whose own interface this interface module is; `nil` for a common interface, and
    /// for any other module.
    package var owner: String?
    /// The Swift module of an interface module that was built; `nil` for any other.
    package var interface: InterfaceContent?

    package init(
        id: String, version: String, summary: String = "", layer: Layer,
        provides: [Provision] = [], requires: [String] = [], features: [FeatureDeclaration] = [],
        interfaces: [InterfaceNeed] = [], owner: String? = nil, interface: InterfaceContent? = nil
    ) {
        self.id = id
        self.version = version
        self.summary = summary
        self.layer = layer
        self.provides = provides
        self.requires = requires
        self.features = features
        self.interfaces = interfaces
        self.owner = owner
        self.interface = interface
    }

    /// Whether the module declares an implementation of a service, under whatever name.
    package func provides(_ service: String) -> Bool {
        provides.contains { ServiceName.agree($0.service, service) }
    }

    package func requires(_ service: String) -> Bool {
        ServiceName.isAmong(requires, service)
    }

    /// The object that `module.json` holds, with its members in the order of the documentation.
    package var json: JSON { .object(members) }

    var members: [JSON.Member] {
        let others = interface?.otherModules ?? []
        var members = JSON.members(present: [
            "id": .string(id), "version": .string(version), "summary": .string(summary),
            "layer": .string(layer.rawValue), "owner": owner.map(JSON.string),
            "interfaces": interfaces.isEmpty ? JSON?.none : .array(interfaces.map(\.json)),
            "module": interface.map { .string($0.module) },
            "protocols": interface.map { .texts($0.protocols) },
            "otherModules": others.isEmpty ? JSON?.none : .texts(others),
        ])
        if layer != .interface {
            members += JSON.members(present: [
                "provides": .array(provides.map(\.json)), "requires": .texts(requires),
                "features": .array(features.map(\.json)),
            ])
        }
        return members
    }
}

/// A service that a module declares an implementation of.
package struct Provision: Hashable, Sendable, CustomStringConvertible {
    package var service: String
    /// The name among several implementations of one service; `nil` for the unnamed one.
    package var name: String?

    package init(service: String, name: String? = nil) {
        self.service = service
        self.name = name
    }

    fileprivate var json: JSON {
        .object(present: ["service": .string(service), "name": name.map(JSON.string)])
    }

    /// `UserService`, or `UserService 'archive'` with a name.
    package var description: String {
        name.map { "\(service) '\($0)'" } ?? service
    }
}

package struct FeatureDeclaration: Hashable, Sendable {
    package var name: String
    /// The purpose of the feature, in one line. May be empty.
    package var summary: String

    package init(name: String, summary: String = "") {
        self.name = name
        self.summary = summary
    }

    package var json: JSON { ["name": .string(name), "summary": .string(summary)] }
}

/// The layer of a module, which limits what the module may require of others, and whose interfaces it may
/// name; see ``LayerRule``.
package enum Layer: String, CaseIterable, Sendable {
    /// Protocols and value types that other modules are compiled against, without code that runs by itself.
    case interface
    /// A module that serves others, and requires nothing that only features or compositions provide.
    case core
    /// Offers something that a person can launch.
    case feature
    /// Wires other modules together.
    case composition
}

/// Something that a module provides and others ask for: a feature, or a service under a name.
package enum Capability: Hashable, Sendable, CustomStringConvertible {
    case feature(String)
    /// A service, by its protocol's name, which may be qualified; see ``ServiceName``. `nil` as its own name stands for the unnamed implementation.
    case service(String, name: String?)

    /// The word that a person types for it: the feature's name, or the service.
    package var word: String {
        switch self {
        case .feature(let name): name
        case .service(let service, _): ServiceName.word(service)
        }
    }

    /// A text that no other capability has.
    package var key: String {
        switch self {
        case .feature(let name): "feature \(name)"
        case .service(let service, nil): service
        case .service(let service, let name?): "\(service) \(name)"
        }
    }

    /// Whether both can mean the same.
    package func agrees(with other: Capability) -> Bool {
        switch (self, other) {
        case (.feature(let one), .feature(let other)): one == other
        case (.service(let one, let name), .service(let other, let otherName)):
            name == otherName && ServiceName.agree(one, other)
        default: false
        }
    }

    package var description: String {
        switch self {
        case .feature(let name): "feature '\(name)'"
        case .service(let service, nil): ServiceName.word(service)
        case .service(let service, let name?): "\(ServiceName.word(service)) named '\(name)'"
        }
    }
}

extension ModuleDeclaration {
    /// Whether the module declares that it provides a capability.
    package func declares(_ capability: Capability) -> Bool {
        capabilities.contains { $0.agrees(with: capability) }
    }

    package var capabilities: [Capability] {
        features.map { .feature($0.name) } + provides.map { .service($0.service, name: $0.name) }
    }
}
