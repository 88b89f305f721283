// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a module provides and others ask for: a feature, or a service under a name.
package enum Capability: Hashable, Sendable {
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
}

extension Capability: CustomStringConvertible {
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
        switch capability {
        case .feature(let name): features.contains { $0.name == name }
        case .service(let service, let name):
            provides.contains { $0.name == name && ServiceName.agree($0.service, service) }
        }
    }

    package var capabilities: [Capability] {
        features.map { .feature($0.name) } + provides.map { .service($0.service, name: $0.name) }
    }
}
