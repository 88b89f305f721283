// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCode
import EavesDiagnostics
import EavesSystem

/// The symbol graphs of interfaces, each read when it is first asked for.
struct SymbolGraphs {
    /// Everything that a type needs to conform to a protocol.
    struct Requirements {
        /// The Swift modules of the protocol, and of those that it inherits.
        var modules: [String] = []
        /// Those for which there is no default.
        var requirements: [SymbolGraph.Symbol] = []
        /// Whether only a class can conform.
        var needsClass = false
    }

    private static let tool = "swift-symbolgraph-extract"

    let tools: InterfaceTools
    let folder: WorkFolder
    private var graphs: [String: SymbolGraph] = [:]

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
            let symbol = graph.symbols.first {
                $0.kind == "swift.protocol" && $0.path.joined(separator: ".") == parts[1]
            }
            guard let symbol else {
                throw TemplateError.cannotSketch(name, because: "\(next) is not a public protocol")
            }
            if !found.modules.contains(parts[0]) { found.modules.append(parts[0]) }
            let declaration = symbol.declaration.text
            if ["@MainActor", ": Actor"].contains(where: declaration.includes) {
                throw TemplateError.cannotSketch(name, because: "\(next) belongs to an actor")
            }
            found.needsClass = found.needsClass || declaration.includes("AnyObject")
            found.requirements += graph.requirements(of: symbol.identifier)
                .filter { !graph.hasDefault($0) }
            rest += graph.conformances(of: symbol.identifier).map { inherited in
                let name = graph.name(ofProtocol: inherited)
                return graph[inherited] == nil ? name : "\(parts[0]).\(name)"
            }
        }
        return found
    }

    private mutating func graph(of module: String) throws -> SymbolGraph {
        if let known = graphs[module] { return known }
        let printed = try tools.run(
            Self.tool,
            [
                "-module-name", module, "-target", tools.target, "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", folder.path,
            ] + tools.searchOptions, in: folder)
        let path = Path.join(folder.path, "\(module).symbols.json")
        guard let bytes = try? Files.read(path), let graph = SymbolGraph(bytes) else {
            throw InterfaceToolError(Self.tool, printed)
        }
        graphs[module] = graph
        return graph
    }
}
