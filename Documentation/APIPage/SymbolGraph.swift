// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// A declaration of a module, as the compiler's symbol graph has it.
struct Symbol {
    let id: String
    /// Such as `swift.struct` or `swift.method`.
    let kind: String
    /// The name with the names of the types around it, such as `["Launch", "parse(_:)"]`.
    let path: [String]
    /// The declaration in Swift, on one line.
    let declaration: String
    /// The demands that the extension around it makes on its type, such as `Value == Bool`.
    let constraints: [String]
    /// The lines of its comment, in Markdown.
    let comment: [String]
    /// The file and the line, by which members are sorted.
    let place: (file: String, line: Int)

    init(_ node: JSONNode) {
        id = node["identifier"]?["precise"]?.string ?? ""
        kind = node["kind"]?["identifier"]?.string ?? ""
        path = node["pathComponents"]?.elements?.compactMap(\.string) ?? []
        declaration = (node["declarationFragments"]?.elements ?? [])
            .compactMap { $0["spelling"]?.string }.joined()
        constraints = (node["swiftExtension"]?["constraints"]?.elements ?? []).compactMap { node in
            guard let left = node["lhs"]?.string, let right = node["rhs"]?.string else {
                return nil
            }
            return left + (node["kind"]?.string == "sameType" ? " == " : " : ") + right
        }
        comment = (node["docComment"]?["lines"]?.elements ?? []).compactMap { $0["text"]?.string }
        place = (
            node["location"]?["uri"]?.string ?? "",
            node["location"]?["position"]?["line"]?.integer ?? 0
        )
    }

    /// The full name, such as `Launch.parse(_:)`.
    var name: String { path.joined(separator: ".") }

    /// The first paragraph of the comment, on one line.
    var summary: String { comment.prefix { !$0.isEmpty }.joined(separator: " ") }
}

/// The public declarations of a module, and how they belong together.
struct SymbolGraph {
    /// The module's name.
    let module: String
    /// Types and functions that stand in no other type, by name.
    private(set) var roots: [Symbol] = []
    private var children: [String: [Symbol]] = [:]
    private var conformances: [String: [String]] = [:]
    private var requirements: Set<String> = []
    private var defaults: [String: [Symbol]] = [:]

    init(_ node: JSONNode) {
        module = node["module"]?["name"]?.string ?? ""
        let all = (node["symbols"]?.elements ?? []).map(Symbol.init)
        let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        var isChild: Set<String> = []
        var isDefault: Set<String> = []
        for relation in node["relationships"]?.elements ?? [] {
            guard let source = relation["source"]?.string, let target = relation["target"]?.string
            else { continue }
            switch relation["kind"]?.string {
            case "memberOf", "requirementOf":
                if relation["kind"]?.string == "requirementOf" { requirements.insert(source) }
                guard let symbol = byID[source], isChild.insert(source).inserted else { break }
                children[target, default: []].append(symbol)
            case "defaultImplementationOf":
                isDefault.insert(source)
                if let symbol = byID[source] { defaults[target, default: []].append(symbol) }
            case "conformsTo":
                let name = relation["targetFallback"]?.string ?? byID[target]?.name ?? target
                conformances[source, default: []].append(
                    String(name.split(separator: ".").last ?? ""))
            default:
                break
            }
        }
        roots = all.filter {
            $0.path.count == 1 && !isChild.contains($0.id) && !isDefault.contains($0.id)
        }
        .sorted { $0.name < $1.name }
        for id in children.keys {
            children[id]?.removeAll { isDefault.contains($0.id) }
            children[id]?.sort(by: Self.isBefore)
        }
    }

    /// The members of a type: first those of the file that declares it, then those of extensions in
    /// other files, each in the order of the source.
    func members(of symbol: Symbol) -> [Symbol] {
        let members = children[symbol.id] ?? []
        let isOwn = { (member: Symbol) in member.place.file == symbol.place.file }
        return members.filter(isOwn) + members.filter { !isOwn($0) }
    }

    /// The protocols that a type conforms to, without those that every type conforms to, by name.
    func protocols(of symbol: Symbol) -> [String] {
        let common: Set = ["Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"]
        return Set(conformances[symbol.id] ?? []).subtracting(common).sorted()
    }

    /// Whether types that conform to the protocol have to implement the declaration, or can.
    func isRequirement(_ symbol: Symbol) -> Bool { requirements.contains(symbol.id) }

    /// The default implementation of a requirement; `nil` if each type has to implement it.
    func standard(of symbol: Symbol) -> Symbol? {
        defaults[symbol.id]?.min(by: Self.isBefore)
    }

    private static func isBefore(_ one: Symbol, _ other: Symbol) -> Bool {
        (one.place.file, one.place.line, one.name) < (
            other.place.file, other.place.line, other.name
        )
    }
}
