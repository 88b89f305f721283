// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The public declarations of a Swift module, as the compiler knows them (`swiftc -emit-symbol-graph`).
package struct SymbolGraph {
    /// A word of a declaration. Words that name a type say which one they mean.
    package struct Fragment: Hashable {
        let kind: String
        package internal(set) var text: String
        /// The type that is meant, as the compiler identifies it (USR).
        let type: String?
    }

    package struct Symbol {
        package let identifier: String
        /// The kind, such as `swift.protocol` or `swift.method`.
        package let kind: String
        /// The name with its labels, such as `user(named:)`.
        let title: String
        /// The names of the types around it, and its own.
        package let path: [String]
        package let declaration: [Fragment]
        let parameters: [Parameter]
        /// The type of the result of a function; empty if there is none.
        package let result: [Fragment]
        /// Whether the declaration has parameters or constraints for types.
        let isGeneric: Bool
        /// The file and the line, such as `UserService.swift:12`.
        let place: String
    }

    package struct Parameter {
        let name: String
        let type: [Fragment]
    }

    /// In the order of the sources.
    package private(set) var symbols: [Symbol] = []
    private var places: [String: Int] = [:]
    /// The identifiers of the requirements of each protocol, in the order of the sources.
    private var requirements: [String: [String]] = [:]
    /// The identifiers of the requirements that have a default.
    private var defaulted: Set<String> = []
    /// The identifiers of the protocols that each type conforms to.
    private var conformances: [String: [String]] = [:]
    /// Readable names of protocols of other modules.
    private var names: [String: String] = [:]
    /// The names of the members of each type that a person has written, also of those that are not public.
    private var written: [[String]: Set<String>] = [:]

    /// Reads a file that the compiler has written.
    ///
    /// - Parameter others: The names of modules that a package brings. What the module shows of them is left out.
    /// - Returns: `nil` if it has another form.
    package init?(_ bytes: [UInt8], without others: [String] = []) {
        guard let root = try? JSONNode.parse(bytes), let symbols = root["symbols"]?.elements,
            let relationships = root["relationships"]?.elements
        else { return nil }
        let prefixes = others.map { "s:\($0.utf8.count)\($0)" }
        for node in symbols {
            guard let symbol = Symbol(node) else { return nil }
            if prefixes.contains(where: symbol.identifier.hasPrefix) { continue }
            if node["location"] != nil, let name = symbol.path.last {
                written[symbol.path.dropLast(), default: []].insert(name)
            }
            guard ["public", "open"].contains(node["accessLevel"]?.string) else { continue }
            places[symbol.identifier] = self.symbols.count
            self.symbols.append(symbol)
        }
        for node in relationships {
            guard let kind = node["kind"]?.string, let source = node["source"]?.string,
                let target = node["target"]?.string
            else { return nil }
            switch kind {
            case "requirementOf": requirements[target, default: []].append(source)
            case "defaultImplementationOf" where places[source] != nil: defaulted.insert(target)
            case "conformsTo":
                conformances[source, default: []].append(target)
                names[target] = node["targetFallback"]?.string
            default: break
            }
        }
    }

    package subscript(identifier: String) -> Symbol? { places[identifier].map { symbols[$0] } }

    package func requirements(of identifier: String) -> [Symbol] {
        (requirements[identifier] ?? []).compactMap { self[$0] }
    }

    /// Whether the module itself implements a requirement where a type does not.
    package func hasDefault(_ requirement: Symbol) -> Bool {
        defaulted.contains(requirement.identifier)
    }

    /// The public properties of a struct whose `Codable` the compiler has derived, without computed ones; `nil` if a person has
    /// written some of it.
    func properties(ofDerivedCodable type: Symbol) -> [Symbol]? {
        let members = written[type.path] ?? []
        guard type.kind == "swift.struct",
            // An attribute may say that the struct belongs to an actor.
            ["struct ", "@frozen struct "].contains(where: type.declaration.text.hasPrefix),
            members.isDisjoint(with: ["init(from:)", "encode(to:)", "CodingKeys"])
        else { return nil }
        return symbols.filter { symbol in
            let words = symbol.declaration.text
            return symbol.kind == "swift.property" && symbol.path.dropLast() == type.path[...]
                && ["var ", "let "].contains(where: words.hasPrefix) && !words.includes("{")
        }
    }

    /// The identifiers of the protocols that a type conforms to, or that a protocol inherits.
    package func conformances(of identifier: String) -> [String] { conformances[identifier] ?? [] }

    /// The name of a protocol, with its module if that is another one, such as `Swift.Sendable`.
    package func name(ofProtocol identifier: String) -> String {
        self[identifier]?.path.joined(separator: ".") ?? names[identifier] ?? identifier
    }
}

extension SymbolGraph.Symbol {
    fileprivate init?(_ node: JSONNode) {
        guard let identifier = node["identifier"]?["precise"]?.string,
            let kind = node["kind"]?["identifier"]?.string,
            let title = node["names"]?["title"]?.string,
            let path = node["pathComponents"]?.elements?.compactMap(\.string)
        else { return nil }
        self.identifier = identifier
        self.kind = kind
        self.title = title
        self.path = path
        declaration = SymbolGraph.fragments(node["declarationFragments"])
        let signature = node["functionSignature"]
        parameters = (signature?["parameters"]?.elements ?? []).map { node in
            // The name and `: ` stand before the type.
            let fragments = SymbolGraph.fragments(node["declarationFragments"])
            return SymbolGraph.Parameter(
                name: node["name"]?.string ?? "", type: SymbolGraph.type(after: fragments))
        }
        result = SymbolGraph.fragments(signature?["returns"])
        isGeneric = node["swiftGenerics"] != nil
        let file = node["location"]?["uri"]?.string.map { Path.name(of: $0) } ?? "?"
        let line = (node["location"]?["position"]?["line"]?.integer ?? 0) + 1
        place = "\(file):\(line)"
    }
}

extension SymbolGraph {
    fileprivate static func fragments(_ node: JSONNode?) -> [Fragment] {
        (node?.elements ?? []).map { node in
            Fragment(
                kind: node["kind"]?.string ?? "", text: node["spelling"]?.string ?? "",
                type: node["preciseIdentifier"]?.string)
        }
    }

    /// The fragments after the first colon.
    package static func type(after fragments: [Fragment]) -> [Fragment] {
        guard
            let place = fragments.firstIndex(where: { $0.kind == "text" && $0.text.hasPrefix(":") })
        else { return [] }
        let first = fragments[place].text.dropFirst().drop { $0 == " " }
        let rest = fragments[(place + 1)...]
        let start = Fragment(kind: "text", text: String(first), type: nil)
        return first.isEmpty ? Array(rest) : [start] + rest
    }
}

extension SymbolGraph.Fragment {
    /// The Swift module of the type that is meant; `nil` for a parameter for types and its like.
    package var module: String? {
        guard let type, type.hasPrefix("s:"), let last = type.last else { return nil }
        if type.hasPrefix("s:Sc") { return "_Concurrency" }
        let rest = type.dropFirst(2)
        // The best known types of the standard library have identifiers of one letter.
        guard rest.count < 3 || "VOCPa".contains(last) && !type.hasSuffix("Qa") else { return nil }
        if rest.hasPrefix("S") || rest.hasPrefix("s") { return "Swift" }
        let digits = rest.prefix { $0.isNumber }
        return digits.hasPrefix("0")
            ? nil : Int(digits).map { String(rest.dropFirst(digits.count).prefix($0)) }
    }

    /// An import of the type alone, which goes before types of the same name in other modules.
    package var singleImport: String? {
        let words: [Character: String] = [
            "V": "struct", "O": "enum", "C": "class", "P": "protocol", "a": "typealias",
        ]
        guard let module, let word = type?.last.flatMap({ words[$0] }) else { return nil }
        return "import \(word) \(module).\(text)"
    }
}

extension [SymbolGraph.Fragment] {
    /// The words without the modules of their types.
    package var text: String { map(\.text).joined() }

    /// The words as a source of another module can have them.
    ///
    /// - Parameter module: The module to write before a type that lies in no other type; `nil` for none.
    package func text(naming module: (SymbolGraph.Fragment) -> String?) -> String {
        reduce(into: "") { text, fragment in
            if !text.hasSuffix("."), let module = module(fragment) { text += module + "." }
            text += fragment.text
        }
    }

    /// The words of a property or a subscript before its accessors.
    package var head: [SymbolGraph.Fragment] {
        guard let place = firstIndex(where: { $0.text.includes(" {") }) else { return self }
        var head = Array(self[...place])
        head[place].text = String(self[place].text.part(before: " {") ?? "")
        return head
    }

    /// Whether they are the type of a function that returns nothing.
    package var isVoid: Bool { isEmpty || text == "()" || map(\.type) == ["s:s4Voida"] }

    func has(_ kind: String, _ text: String) -> Bool {
        contains { $0.kind == kind && $0.text == text }
    }
}
