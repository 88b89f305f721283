// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// An interface module that a module is compiled against.
package struct InterfaceNeed: Hashable, Sendable {
    /// The interface module's id.
    package var id: String
    /// The interface as it was when the module was built; `nil` in a `module.json`, which names the id
    /// alone.
    package var built: InterfaceStamp?

    package init(_ id: String, built: InterfaceStamp? = nil) {
        self.id = id
        self.built = built
    }
}

/// One state of an interface module: its Swift module and its version.
package struct InterfaceStamp: Hashable, Sendable {
    /// The Swift module of the interface between host and modules, which is not a module of its own.
    package static let hostModule = "EavesInterface"

    /// The name of the Swift module, such as `CommonInterface`.
    package var module: String
    package var version: InterfaceVersion
    /// The names of the Swift modules that a package brings besides. Sorted.
    package var otherModules: [String]

    package init(module: String, version: InterfaceVersion, otherModules: [String] = []) {
        self.module = module
        self.version = version
        self.otherModules = otherModules
    }

    /// The names of all its Swift modules, its own first.
    package var modules: [String] { [module] + otherModules }
}

/// The Swift module of an interface module, as its note describes it.
package struct InterfaceContent: Hashable, Sendable {
    /// The name of the Swift module, such as `CommonInterface`.
    package var module: String
    /// The names of its public protocols, without the Swift module's name. Sorted.
    package var protocols: [String]
    /// The names of the Swift modules that a package brings besides: they are part of the interface, and their
    /// protocols are no services. Sorted.
    package var otherModules: [String]

    package init(module: String, protocols: [String], otherModules: [String] = []) {
        self.module = module
        self.protocols = protocols
        self.otherModules = otherModules
    }

    /// The names of all its Swift modules, its own first.
    package var modules: [String] { [module] + otherModules }
}

extension ModuleDeclaration {
    /// The version of an interface module as those compare it who were built against it: the first two
    /// numbers. `nil` for any other module.
    package var interfaceVersion: InterfaceVersion? {
        layer == .interface ? InterfaceVersion.ofModule(version) : nil
    }

    /// The interface module as it is now; `nil` for any other module, and for one that is not built.
    package var interfaceStamp: InterfaceStamp? {
        guard let content = interface, let version = interfaceVersion else { return nil }
        return InterfaceStamp(
            module: content.module, version: version, otherModules: content.otherModules)
    }

    /// Whether a `module.json` says the same as the note of a module that was built from it. The note says
    /// more: which protocols are meant, and which interfaces were compiled against.
    package func agrees(withBuilt built: ModuleDeclaration) -> Bool {
        id == built.id && version == built.version && summary == built.summary
            && layer == built.layer && owner == built.owner && features == built.features
            && interfaces.map(\.id) == built.interfaces.map(\.id)
            && provides.count == built.provides.count
            && zip(provides, built.provides).allSatisfy {
                $0.name == $1.name && ServiceName.agree($0.service, $1.service)
            }
            && requires.count == built.requires.count
            && zip(requires, built.requires).allSatisfy(ServiceName.agree)
    }
}

extension InterfaceNeed {
    /// The id alone if nothing else is known, as in `module.json`.
    var json: JSON {
        guard let built else { return .string(id) }
        let members = [
            JSON.Member(name: "id", value: .string(id)),
            JSON.Member(name: "module", value: .string(built.module)),
            JSON.Member(name: "version", value: .string(built.version.description)),
        ]
        return .object(members + JSON.otherModules(built.otherModules))
    }
}

extension JSON {
    /// The member of a note that names the Swift modules which a package brings; none for most interface modules.
    static func otherModules(_ names: [String]) -> [Member] {
        names.isEmpty
            ? [] : [Member(name: "otherModules", value: .array(names.map(JSON.string)))]
    }
}

extension DeclarationParser {
    /// The interfaces that a module is compiled against: ids in `module.json`, and in a note objects that
    /// say what was compiled against.
    mutating func interfaces(of node: JSONNode, _ key: String) -> [InterfaceNeed] {
        var seen: Set<String> = []
        return elements("interfaces", of: node, key).compactMap { key, value in
            let need =
                value.members == nil || !readsNote
                ? text(value, key, .moduleID).map { InterfaceNeed($0) } : builtNeed(value, key)
            if let need, !seen.insert(need.id).inserted {
                report(.repeated(need.id), key, at: value.range.lowerBound)
            }
            return need
        }
    }

    private mutating func builtNeed(_ node: JSONNode, _ key: String) -> InterfaceNeed? {
        let id = text("id", of: node, key, .moduleID)
        let module = text("module", of: node, key, .swiftModule)
        let version = text("version", of: node, key, .name)
        guard let version = InterfaceVersion(version) else {
            report(.badInterface(version), key, at: node.range.lowerBound)
            return nil
        }
        let others = otherModules(of: node, key)
        return InterfaceNeed(
            id, built: InterfaceStamp(module: module, version: version, otherModules: others))
    }

    private mutating func otherModules(of node: JSONNode, _ key: String) -> [String] {
        elements("otherModules", of: node, key).compactMap { key, value in
            text(value, key, .swiftModule)
        }
    }

    /// The Swift module and the protocols of an interface module's note.
    mutating func interfaceContent(of node: JSONNode, _ key: String) -> InterfaceContent? {
        let protocols = elements("protocols", of: node, key).compactMap { key, value in
            text(value, key, .serviceName)
        }
        return InterfaceContent(
            module: text("module", of: node, key, .swiftModule), protocols: protocols,
            otherModules: otherModules(of: node, key))
    }

    /// The owner of an interface module.
    mutating func owner(
        of node: JSONNode, _ key: String, _ id: String, _ layer: Layer
    ) -> String? {
        guard let value = node["owner"] else { return nil }
        let place = (Self.join(key, "owner"), value.range.lowerBound)
        guard layer == .interface else {
            report(.ownerOfNoInterface, place.0, at: place.1)
            return nil
        }
        let owner = text(value, place.0, .moduleID)
        if owner == id { report(.ownsItself, place.0, at: place.1) }
        return owner
    }

    /// Checks that an interface module has a version with two numbers, and provides nothing.
    mutating func checkInterface(_ declaration: ModuleDeclaration, of node: JSONNode, _ key: String)
    {
        if InterfaceVersion.ofModule(declaration.version) == nil, let value = node["version"] {
            report(
                .badInterfaceModule(version: declaration.version), Self.join(key, "version"),
                at: value.range.lowerBound)
        }
        for name in ["provides", "requires", "features"] {
            guard let value = node[name], value.elements?.isEmpty == false else { continue }
            report(.notOfInterface, Self.join(key, name), at: value.range.lowerBound)
        }
    }
}
