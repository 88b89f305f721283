// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// What a module says of itself: the content of `module.json`, and later of the note in the binary.
package struct ModuleDeclaration: Hashable, Sendable {
    /// The file in a source folder that holds it.
    package static let fileName = "module.json"

    package var id: String
    package var version: String
    /// What it is for, in one line. May be empty.
    package var summary: String
    package var layer: Layer
    package var provides: [Provision]
    /// The services that it asks others for.
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

    /// Whether it says that it registers an implementation for a service, under whatever name.
    package func provides(_ service: String) -> Bool {
        provides.contains { $0.service == service }
    }

    /// Whether it says that it registers a feature.
    package func offers(_ feature: String) -> Bool {
        features.contains { $0.name == feature }
    }

    /// The object that `module.json` holds, in the order of the documentation.
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

/// A service that a module says it registers an implementation for.
package struct Provision: Hashable, Sendable {
    package var service: String
    /// Sets several implementations of one service apart.
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

/// A feature that a module says it registers.
package struct FeatureDeclaration: Hashable, Sendable {
    package var name: String
    /// What it does, in one line. May be empty.
    package var summary: String

    package init(name: String, summary: String = "") {
        self.name = name
        self.summary = summary
    }
}

/// How far down a module stands: what it may need of others follows from it.
package enum Layer: String, CaseIterable, Sendable {
    /// Serves others and needs nothing that only a feature provides.
    case core
    /// Something a person can launch.
    case feature
    /// Puts others together.
    case composition
}
