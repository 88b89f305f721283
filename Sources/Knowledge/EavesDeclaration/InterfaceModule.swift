// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesManifest

/// An interface module that a module is compiled against.
package struct InterfaceNeed: Hashable, Sendable {
    package var id: String
    /// The interface as it was when the module was built; `nil` in a `module.json`, which names the id alone.
    package var built: InterfaceStamp?

    package init(_ id: String, built: InterfaceStamp? = nil) {
        self.id = id
        self.built = built
    }

    /// The id alone if nothing else is known, as in `module.json`.
    var json: JSON {
        guard let built else { return .string(id) }
        return .object(present: [
            "id": .string(id), "module": .string(built.module),
            "version": .string(built.version.description),
            "otherModules": built.otherModules.isEmpty ? JSON?.none : .texts(built.otherModules),
        ])
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

    /// How the symbols begin that its Swift modules declare.
    package var symbolPrefixes: [String] { modules.map { "$s\($0.utf8.count)\($0)" } }
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

/// A version of the interface. A module runs in a host with the same major version and at least the
/// module's minor version.
package struct InterfaceVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses a text such as `1.0`: two decimal numbers.
    ///
    /// - Returns: `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = Self.number(parts[0]), let minor = Self.number(parts[1])
        else { return nil }
        self.init(major: major, minor: minor)
    }

    /// The first two numbers of a module's version: `1.2` of `1.2.3` and of `1.2.0-beta`.
    package static func ofModule(_ version: String) -> InterfaceVersion? {
        let parts = version.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let major = number(parts[0]), let minor = number(parts[1]) else {
            return nil
        }
        return InterfaceVersion(major: major, minor: minor)
    }

    /// Whether a module that was built against another version can use this one: a later minor version will do.
    package func serves(_ built: InterfaceVersion) -> Bool {
        major == built.major && self >= built
    }

    private static func number(_ text: Substring) -> Int? {
        // The initialiser of Int accepts a sign too.
        text.utf8.allSatisfy(Names.isDigit) ? Int(text) : nil
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { "\(major).\(minor)" }
}

extension ModuleDeclaration {
    /// The interface module as it is now; `nil` for any other module, and for one that is not built. Of its version, the
    /// first two numbers are compared.
    package var interfaceStamp: InterfaceStamp? {
        guard layer == .interface, let content = interface,
            let version = InterfaceVersion.ofModule(version)
        else { return nil }
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

extension DeclarationParser {
    /// The interfaces that a module is compiled against: ids in `module.json`, and in a note objects that
    /// say what was compiled against.
    mutating func interfaces(of node: JSONNode, _ key: String) -> [InterfaceNeed] {
        distinct("interfaces", of: node, key, by: \.id) { parser, value, key in
            value.members == nil || !parser.readsNote
                ? parser.text(value, key, .moduleID).map { InterfaceNeed($0) }
                : parser.builtNeed(value, key)
        }
    }

    private mutating func builtNeed(_ node: JSONNode, _ key: String) -> InterfaceNeed? {
        let id = text("id", of: node, key, .moduleID)
        let module = text("module", of: node, key, .swiftModule)
        let version = text("version", of: node, key, .name)
        guard let version = InterfaceVersion(version) else {
            report(.badInterface(version), key, at: node)
            return nil
        }
        let others = texts("otherModules", of: node, key, .swiftModule)
        return InterfaceNeed(
            id, built: InterfaceStamp(module: module, version: version, otherModules: others))
    }

    private mutating func texts(
        _ name: String, of node: JSONNode, _ key: String, _ rule: NameRule
    ) -> [String] {
        elements(name, of: node, key).compactMap { key, value in text(value, key, rule) }
    }

    /// The Swift module and the protocols of an interface module's note.
    mutating func interfaceContent(of node: JSONNode, _ key: String) -> InterfaceContent? {
        let protocols = texts("protocols", of: node, key, .serviceName)
        return InterfaceContent(
            module: text("module", of: node, key, .swiftModule), protocols: protocols,
            otherModules: texts("otherModules", of: node, key, .swiftModule))
    }

    mutating func owner(
        of node: JSONNode, _ key: String, _ id: String, _ layer: Layer
    ) -> String? {
        guard let value = node["owner"] else { return nil }
        let key = Self.join(key, "owner")
        guard layer == .interface else {
            report(.ownerOfNoInterface, key, at: value)
            return nil
        }
        let owner = text(value, key, .moduleID)
        if owner == id { report(.ownsItself, key, at: value) }
        return owner
    }

    /// Checks that an interface module has a version with two numbers, and provides nothing.
    mutating func checkInterface(_ declaration: ModuleDeclaration, of node: JSONNode, _ key: String)
    {
        if InterfaceVersion.ofModule(declaration.version) == nil, let value = node["version"] {
            let problem = DeclarationProblem.Cause.badInterfaceModule(version: declaration.version)
            report(problem, Self.join(key, "version"), at: value)
        }
        for name in ["provides", "requires", "features"] {
            guard let value = node[name], value.elements?.isEmpty == false else { continue }
            report(.notOfInterface, Self.join(key, name), at: value)
        }
    }
}
