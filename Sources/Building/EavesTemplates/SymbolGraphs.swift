// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The symbol graphs of interfaces, each read when it is first asked for.
struct SymbolGraphs {
    /// A declaration, such as that of a protocol or of a requirement.
    struct Symbol {
        /// Such as `swift.method`.
        let kind: String
        /// Such as `degrees(in:)`.
        let name: String
        /// Such as `func degrees(in city: String) async throws -> Int`.
        let declaration: String
        /// The type of the result of a function; empty if there is none.
        let result: String
    }

    /// Everything that a type needs to conform to a protocol.
    struct Requirements {
        /// The Swift modules of the protocol, and of those that it inherits.
        var modules: [String] = []
        /// Those for which there is no default.
        var requirements: [Symbol] = []
        /// Whether only a class can conform.
        var needsClass = false
    }

    private static let tool = "swift-symbolgraph-extract"

    let tools: InterfaceTools
    let folder: WorkFolder
    private var graphs: [String: Graph] = [:]

    init(tools: InterfaceTools, folder: WorkFolder) {
        self.tools = tools
        self.folder = folder
    }

    /// The requirements of a protocol, and of those that it inherits.
    ///
    /// - Parameter name: The qualified name.
    mutating func requirements(of name: String) throws -> Requirements {
        var found = Requirements()
        var rest = [name]
        var seen: Set<String> = []
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            let parts = next.split(separator: ".", maxSplits: 1).map(String.init)
            // A protocol of the standard library, such as Sendable: nearly all of them need nothing.
            guard parts.count == 2, parts[0] != "Swift", !parts[0].hasPrefix("_") else { continue }
            let graph = try graph(of: parts[0])
            guard let id = graph.protocols[parts[1]], let symbol = graph.symbols[id] else {
                throw TemplateError.cannotSketch(name, because: "\(next) is not a public protocol")
            }
            if !found.modules.contains(parts[0]) { found.modules.append(parts[0]) }
            if ["@MainActor", ": Actor"].contains(where: symbol.declaration.includes) {
                throw TemplateError.cannotSketch(name, because: "\(next) belongs to an actor")
            }
            found.needsClass = found.needsClass || symbol.declaration.includes("AnyObject")
            found.requirements += graph.requirements(of: id)
            rest += graph.inherited(by: id)
        }
        return found
    }

    private mutating func graph(of module: String) throws -> Graph {
        if let known = graphs[module] { return known }
        let printed = try tools.run(
            Self.tool,
            [
                "-module-name", module, "-target", tools.target, "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", folder.path,
            ] + tools.searchOptions, in: folder)
        let path = Path.join(folder.path, "\(module).symbols.json")
        guard let bytes = try? Files.read(path), let node = try? JSONNode.parse(bytes) else {
            throw InterfaceToolError(Self.tool, printed)
        }
        let graph = Graph(node)
        graphs[module] = graph
        return graph
    }
}

/// The symbol graph of one Swift module.
private struct Graph {
    typealias Symbol = SymbolGraphs.Symbol

    /// By their precise identifiers.
    private(set) var symbols: [String: Symbol] = [:]
    /// The precise identifiers of the protocols, by their names.
    private(set) var protocols: [String: String] = [:]
    /// In the order of the graph, which is that of the sources.
    private var requirements: [(id: String, of: String)] = []
    /// The qualified names of what they inherit.
    private var conformances: [(id: String, to: String)] = []
    private var defaulted: Set<String> = []

    init(_ node: JSONNode) {
        let module = node["module"]?["name"]?.string ?? ""
        for symbol in node["symbols"]?.elements ?? [] {
            guard let id = symbol["identifier"]?["precise"]?.string,
                let kind = symbol["kind"]?["identifier"]?.string
            else { continue }
            let path = (symbol["pathComponents"]?.elements ?? []).compactMap(\.string)
            symbols[id] = Symbol(
                kind: kind, name: path.last ?? "",
                declaration: Self.text(symbol["declarationFragments"]),
                result: Self.text(symbol["functionSignature"]?["returns"]))
            if kind == "swift.protocol" { protocols[path.joined(separator: ".")] = id }
        }
        for relation in node["relationships"]?.elements ?? [] {
            guard let source = relation["source"]?.string, let target = relation["target"]?.string
            else { continue }
            switch relation["kind"]?.string {
            case "requirementOf": requirements.append((source, target))
            case "defaultImplementationOf": defaulted.insert(target)
            case "conformsTo":
                let own = symbols[target].map { "\(module).\($0.name)" }
                conformances.append((source, own ?? relation["targetFallback"]?.string ?? target))
            default: break
            }
        }
    }

    func requirements(of id: String) -> [Symbol] {
        requirements.filter { $0.of == id && !defaulted.contains($0.id) }
            .compactMap { symbols[$0.id] }
    }

    /// The qualified names of the protocols that a protocol inherits.
    func inherited(by id: String) -> [String] {
        conformances.filter { $0.id == id }.map(\.to)
    }

    private static func text(_ fragments: JSONNode?) -> String {
        (fragments?.elements ?? []).compactMap { $0["spelling"]?.string }.joined()
    }
}
