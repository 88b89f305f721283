// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesGraph
import EavesJSON
import EavesOutput
import EavesTrust

extension Subcommand {
    static let graph = Subcommand(
        name: "graph",
        summary: "draw modules, and which of them gets whose services",
        options: [.show, .focus, .depth, .format, .output, .manifest],
        discussion: """
            Draws the modules in groups by layer, with a line from each module to those whose services it
            gets. '--show' adds features, implementations that are not chosen, interfaces, routes or
            services, and 'all' all of them; '--focus' leaves out what is further from a module than
            '--depth' lines. No module's code runs, and none is built. The formats are dot (graphviz),
            mermaid, json, which has all unless '--show' says less, and svg and html, for which graphviz
            has to be installed. An html file shows in a browser what 'inspect' says of a module. Without
            '--format', the end of the output's name decides, such as '.html' or '.mmd', and else it is dot.
            """,
        run: .plain { try GraphDrawing($0).run() })
}

extension OptionSpec {
    fileprivate static let show = OptionSpec(
        "show", value: "PARTS", completed: .oneOf(GraphPart.words + ["all"]),
        help: "what to draw besides modules, as in 'routes,services', or 'all'")
    fileprivate static let focus = OptionSpec(
        "focus", value: "ID", completed: .module, help: "draw only what is near this module")
    fileprivate static let depth = OptionSpec(
        "depth", value: "LINES", help: "with --focus: how many lines away; else 1")
    fileprivate static let format = OptionSpec(
        "format", value: "FORMAT", completed: .oneOf(GraphDrawing.Format.words),
        help: "dot, mermaid, svg, html or json")
    fileprivate static let output = OptionSpec(
        "output", short: "o", value: "FILE", help: "write to this file instead of standard output")
}

/// One picture of the modules: what it shows, and where it goes.
private struct GraphDrawing {
    enum Format: String, CaseIterable {
        case dot, mermaid, svg, html, json

        init?(ofFile path: String) {
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            self.init(rawValue: ["gv": "dot", "mmd": "mermaid"][ending] ?? ending)
        }
    }

    private let options: ParsedOptions
    private let terminal: Terminal
    private let format: Format
    private let output: String?
    private let depth: Int
    /// `nil` for what the format usually shows.
    private let parts: Set<GraphPart>?

    init(_ call: SubcommandCall) throws {
        options = call.options
        terminal = call.terminal
        output = options.value(.output)
        if output == "" { throw CommandError.emptyValue(option: "--output", expected: "a file") }
        let words = options.allValues(.show).flatMap { $0.split(separator: ",") }
        parts = words.isEmpty ? nil : try Self.parts(words.map(String.init))
        let number = options.value(.depth)
        guard let depth = number.map(Int.init) ?? 1, depth >= 0 else {
            throw CommandError.badNumber(
                "--depth", "a number of lines", found: number ?? "", as: "--depth 2")
        }
        self.depth = depth
        let named = try options.value(.format).map { try Format.named($0, of: "format") }
        format = named ?? output.flatMap(Format.init(ofFile:)) ?? .dot
    }

    func run() throws {
        let graph = try graph()
        switch format {
        case .dot: try write(graph.dotText)
        case .mermaid: try write(graph.mermaidText)
        case .json: try write(graph.json.text(pretty: true) + "\n")
        case .svg: try put(draw(graph))
        case .html:
            let svg = String(decoding: try draw(graph), as: UTF8.self)
            try put(Array(graph.page(svg: svg, details: try details(graph)).utf8))
        }
    }

    private static func parts(_ words: [String]) throws(CommandError) -> Set<GraphPart> {
        if words.contains("all") { return Set(GraphPart.allCases) }
        var parts: Set<GraphPart> = []
        for word in words {
            guard let part = GraphPart(rawValue: word) else {
                throw .unknownChoice(of: "part", word, known: GraphPart.words + ["all"])
            }
            parts.insert(part)
        }
        return parts
    }

    /// The picture. Programs that read it as data get all of it, unless they ask for less.
    private func graph() throws -> ModuleGraph {
        let wiring = try Wiring(of: options.manifest())
        let usual = format == .json ? Set(GraphPart.allCases) : []
        let graph = ModuleGraph(wiring, showing: parts ?? usual)
        guard let id = options.value(.focus) else { return graph }
        let known: [NodeID] = graph.nodes.map(\.id)
            .filter { $0.kind == .module || $0.kind == .interface }
        guard known.contains(where: { $0.key == id }) else {
            throw CommandError.noModule(id, known: known.map(\.key))
        }
        return graph.around({ known.contains($0) && $0.key == id }, depth: depth)
    }

    /// Draws the picture with graphviz. Without it, standard output gets the text that it would have drawn;
    /// a file that is to hold a picture gets nothing.
    private func draw(_ graph: ModuleGraph) throws -> [UInt8] {
        let text = graph.dotText.escapedLines()
        do throws(GraphvizError) {
            return try Graphviz().svg(of: text)
        } catch {
            if output == nil, error.isMissing { try terminal.write(text) }
            throw error
        }
    }

    private func details(_ graph: ModuleGraph) throws -> [String: String] {
        let operands = ModuleOperands(in: try options.manifest())
        let ids = Set(graph.nodes.map(\.id.key))
        let entries = (operands.catalog?.entries ?? []).filter { ids.contains($0.id) && $0.isUsed }
        let texts = entries.map { entry in
            (
                entry.id,
                InspectReport(entry, among: operands.catalog, for: operands.manifest).text
                    .escapedLines()
            )
        }
        return Dictionary(texts) { first, _ in first }
    }

    private func write(_ text: String) throws {
        try put(Array(text.escapedLines().utf8))
    }

    private func put(_ bytes: [UInt8]) throws {
        if let output {
            try Output(output).replace(with: bytes)
        } else {
            try bytes.withUnsafeBufferPointer { try terminal.console.write($0) }
        }
    }
}
