// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// A module's declaration: its id, what it provides and requires, and its features. `module.json` holds
/// it in the sources, and the note holds it in the binary.
package struct ModuleDeclaration: Hashable, Sendable {
    /// The name of the file in a source folder.
    package static let fileName = "module.json"

    package var id: String
    package var version: String
    /// The purpose of the module, in one line. May be empty.
    package var summary: String
    package var layer: Layer
    package var provides: [Provision]
    /// The services that the module asks other modules for.
    package var requires: [String]
    package var features: [FeatureDeclaration]

    package init(
        id: String, version: String, summary: String = "", layer: Layer,
        provides: [Provision] = [], requires: [String] = [], features: [FeatureDeclaration] = []
    ) {
        self.id = id
        self.version = version
        self.summary = summary
        self.layer = layer
        self.provides = provides
        self.requires = requires
        self.features = features
    }

    /// Whether the module declares an implementation of a service, under whatever name.
    package func provides(_ service: String) -> Bool {
        provides.contains { $0.service == service }
    }

    /// The object that `module.json` holds, with its members in the order of the documentation.
    package var json: JSON {
        [
            "id": .string(id),
            "version": .string(version),
            "summary": .string(summary),
            "layer": .string(layer.rawValue),
            "provides": .array(provides.map(\.json)),
            "requires": .array(requires.map(JSON.string)),
            "features": .array(features.map(\.json)),
        ]
    }
}

extension Provision {
    fileprivate var json: JSON {
        var members = [JSON.Member(name: "service", value: .string(service))]
        if let name { members.append(JSON.Member(name: "name", value: .string(name))) }
        return .object(members)
    }
}

extension FeatureDeclaration {
    fileprivate var json: JSON {
        ["name": .string(name), "summary": .string(summary)]
    }
}

/// A service that a module declares an implementation of.
package struct Provision: Hashable, Sendable {
    package var service: String
    /// Tells several implementations of one service apart; `nil` for the unnamed one.
    package var name: String?

    package init(service: String, name: String? = nil) {
        self.service = service
        self.name = name
    }
}

extension Provision: CustomStringConvertible {
    /// `UserService`, or `UserService 'archive'` with a name.
    package var description: String {
        name.map { "\(service) '\($0)'" } ?? service
    }
}

/// A feature that a module declares.
package struct FeatureDeclaration: Hashable, Sendable {
    package var name: String
    /// The purpose of the feature, in one line. May be empty.
    package var summary: String

    package init(name: String, summary: String = "") {
        self.name = name
        self.summary = summary
    }
}

/// The layer of a module, which limits what the module may require of others.
package enum Layer: String, CaseIterable, Sendable {
    /// Serves other modules, and requires nothing that only features provide.
    case core
    /// Offers something that a person can launch.
    case feature
    /// Wires other modules together.
    case composition
}
