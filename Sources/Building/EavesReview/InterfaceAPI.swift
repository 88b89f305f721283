// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesJSON

/// The public declarations of an interface module, as the binaries of other modules depend on them.
package struct InterfaceAPI: Hashable, Sendable {
    package struct Declaration: Hashable, Sendable {
        /// The mangled name, in which the types of parameters, labels and effects are: it is another one
        /// after each change of them.
        package var symbol: String
        /// As the compiler calls it, such as `Func`.
        package var kind: String
        /// With the names of the types around it, such as `WeatherService.report(for:)`.
        package var name: String
        /// The symbol as source code would say it.
        package var signature: String
        /// The further properties that binaries rely on. Sorted.
        package var traits: [String]
    }

    package var module: String
    /// Sorted by symbol.
    package var declarations: [Declaration]
    /// The SHA-256 of the textual interface, which also has what no binary sees.
    package var text: String
}

extension InterfaceAPI {
    enum Trait {
        static let requirement = "requirement"
        /// A requirement that the interface itself implements where a provider does not.
        static let hasDefault = "has a default"
        static let isFrozen = "@frozen"
        static let isOpen = "open"
        /// Before the name of a protocol.
        static let conforms = "conforms to "
        /// Before the place among the stored properties, or the cases, of a frozen type.
        static let place = "place "
    }

    /// Reads what `swift-api-digester -dump-sdk -abi` writes.
    ///
    /// - Parameter modules: The names of the Swift modules that were asked for, the interface module's own first.
    /// - Returns: `nil` if the text is not a dump, or not that of one of the modules.
    init?(
        dump: JSONNode, modules: [String], text: String,
        demangle: ([String]) throws(BuildError) -> [String: String]
    ) throws(BuildError) {
        let expected = modules.count > 1 ? "MULTI_MODULES" : modules[0]
        guard let root = dump["ABIRoot"], root["name"]?.string == expected else { return nil }
        var reader = DumpReader(modules: modules)
        for node in root["children"]?.elements ?? [] { reader.read(node, in: "") }
        let names = try demangle(reader.found.map(\.symbol).filter { $0.hasPrefix("$s") })
        module = modules[0]
        self.text = text
        declarations = reader.declarations(names)
    }
}

private struct DumpReader {
    let modules: [String]
    /// The declarations without what only demangled symbols tell.
    var found: [InterfaceAPI.Declaration] = []
    var extensionMembers: Set<String> = []

    /// Attributes that change how binaries use a declaration. `Custom` stands for a global actor, and for
    /// other types that are written like attributes.
    private static let attributes = [
        "AlwaysEmitIntoClient": "@_alwaysEmitIntoClient", "Custom": "custom attribute",
        "Final": "final", "Frozen": InterfaceAPI.Trait.isFrozen, "Nonisolated": "nonisolated",
    ]
    /// Protocols that the compiler adds to types by itself.
    private static let impliedProtocols: Set<String> = [
        "BitwiseCopyable", "Copyable", "Escapable", "SendableMetatype",
    ]

    mutating func read(_ node: JSONNode, in scope: String) {
        guard let kind = node["declKind"]?.string, kind != "Import",
            let printed = node["printedName"]?.string,
            let symbol = node["mangledName"]?.string ?? node["usr"]?.string
        else { return }
        let name =
            kind == "Accessor"
            ? "\(scope) (\(node["accessorKind"]?.string ?? printed))"
            : scope.isEmpty ? printed : "\(scope).\(printed)"
        // A module adds members to types of others, and only these members count. The compiler makes `_modify` of a setter.
        if node["isExternal"]?.bool != true, node["accessorKind"]?.string?.hasPrefix("_") != true {
            if node["isFromExtension"]?.bool == true { extensionMembers.insert(symbol) }
            found.append(
                InterfaceAPI.Declaration(
                    symbol: symbol, kind: kind, name: name, signature: name,
                    traits: traits(of: node, kind)))
        }
        for key in ["children", "accessors"] {
            for child in node[key]?.elements ?? [] { read(child, in: name) }
        }
    }

    private func traits(of node: JSONNode, _ kind: String) -> [String] {
        var traits = (node["declAttributes"]?.elements ?? [])
            .compactMap { $0.string.flatMap { Self.attributes[$0] } }
        if node["protocolReq"]?.bool == true { traits.append(InterfaceAPI.Trait.requirement) }
        if node["isOpen"]?.bool == true { traits.append(InterfaceAPI.Trait.isOpen) }
        if node["static"]?.bool == true { traits.append("static") }
        if let place = node["fixedbinaryorder"]?.integer {
            traits.append("\(InterfaceAPI.Trait.place)\(place)")
        }
        if let superclass = node["superclassUsr"]?.string {
            traits.append("superclass \(superclass)")
        }
        if node["kind"]?.string == "TypeDecl", let signature = node["genericSig"]?.string {
            traits.append("generic \(signature)")
        }
        // An associated type has its default as a child.
        if kind == "AssociatedType", node["children"]?.elements?.isEmpty == false {
            traits.append(InterfaceAPI.Trait.hasDefault)
        }
        for conformance in node["conformances"]?.elements ?? [] {
            guard let name = conformance["printedName"]?.string,
                !Self.impliedProtocols.contains(name)
            else { continue }
            traits.append(InterfaceAPI.Trait.conforms + name)
        }
        return traits
    }

    /// The declarations with their signatures, and with the defaults of requirements.
    func declarations(_ names: [String: String]) -> [InterfaceAPI.Declaration] {
        let prefixes = modules.map { "(extension in \($0)):" }
        let defaults = Set(
            extensionMembers.compactMap { names[$0] }.map { name in
                let prefix = prefixes.first(where: name.hasPrefix) ?? ""
                return Self.withoutEffects(String(name.dropFirst(prefix.count)))
            })
        var seen: Set<String> = []
        return found.filter { seen.insert($0.symbol).inserted }.map { declaration in
            var declaration = declaration
            if let name = names[declaration.symbol] { declaration.signature = name }
            var traits = Set(declaration.traits)
            if traits.contains(InterfaceAPI.Trait.requirement),
                defaults.contains(Self.withoutEffects(declaration.signature))
            {
                traits.insert(InterfaceAPI.Trait.hasDefault)
            }
            declaration.traits = traits.sorted()
            return declaration
        }.sorted { $0.symbol < $1.symbol }
    }

    /// An implementation may do without the effects that a requirement allows.
    private static func withoutEffects(_ signature: String) -> String {
        signature.split(separator: " ").filter { $0 != "async" && $0 != "throws" }
            .joined(separator: " ")
    }
}

// MARK: - As JSON

extension InterfaceAPI.Declaration {
    var json: JSON {
        [
            "symbol": .string(symbol), "kind": .string(kind), "name": .string(name),
            "signature": .string(signature), "traits": .texts(traits),
        ]
    }

    /// `nil` if the value is damaged.
    init?(_ node: JSONNode) {
        guard let symbol = node["symbol"]?.string, let kind = node["kind"]?.string,
            let name = node["name"]?.string, let signature = node["signature"]?.string,
            let traits = node["traits"]?.elements
        else { return nil }
        self.init(
            symbol: symbol, kind: kind, name: name, signature: signature,
            traits: traits.compactMap(\.string))
    }
}
