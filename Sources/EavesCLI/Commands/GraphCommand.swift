// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesGraph
import EavesHost
import EavesJSON
import EavesTrust

/// `eaves graph`
struct GraphCommand: SynchronousSubcommand {
    static let name = "graph"
    static let summary = "draw modules, interfaces, services, features and routes"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [format, output, .manifest]
    static let discussion = """
        Draws what modules declare, what the manifest binds, and which routes their binaries open, in
        groups by layer. No module's code runs, and none is built. The formats are dot (graphviz),
        mermaid, json, and svg, for which graphviz has to be installed. Without '--format', the end of
        the output's name decides, such as '.svg' or '.mmd', and else it is dot.
        """

    private static let format = OptionSpec(
        "format", value: "FORMAT", help: "dot, mermaid, svg or json")
    private static let output = OptionSpec(
        "output", short: "o", value: "FILE", help: "write to this file instead of standard output")

    private enum Format: String, CaseIterable {
        case dot, mermaid, svg, json

        /// The format that the end of a file's name means.
        init?(ofFile path: String) {
            switch path.split(separator: ".").last {
            case "dot", "gv": self = .dot
            case "mmd", "mermaid": self = .mermaid
            case "svg": self = .svg
            case "json": self = .json
            default: return nil
            }
        }
    }

    private let options: ParsedOptions
    private let format: Format
    private let output: String?

    init(_ options: ParsedOptions) throws {
        self.options = options
        output = options.value(Self.output)
        if output == "" { throw CommandError.emptyValue(option: "--output", expected: "a file") }
        guard let word = options.value(Self.format) else {
            format = output.flatMap(Format.init(ofFile:)) ?? .dot
            return
        }
        guard let named = Format(rawValue: word) else {
            throw CommandError.unknownChoice(
                of: "format", word, known: Format.allCases.map(\.rawValue))
        }
        format = named
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let graph = ModuleGraph(try Wiring(of: options.manifest()))
        switch format {
        case .dot: try write(DOTText(graph).text, terminal)
        case .mermaid: try write(MermaidText(graph).text, terminal)
        case .json: try write(graph.json.text(pretty: true) + "\n", terminal)
        case .svg: try draw(DOTText(graph).text, terminal)
        }
        return 0
    }

    /// Has graphviz draw the picture. Without it, standard output gets the text that it would have drawn;
    /// a file that is to hold a picture gets nothing.
    private func draw(_ text: String, _ terminal: Terminal) throws {
        let text = text.escapedLines()
        let svg: [UInt8]
        do throws(GraphvizError) {
            svg = try Graphviz().svg(of: text)
        } catch {
            if output == nil, error.isMissing { try terminal.write(text) }
            throw error
        }
        try put(svg, terminal)
    }

    private func write(_ text: String, _ terminal: Terminal) throws {
        try put(Array(text.escapedLines().utf8), terminal)
    }

    private func put(_ bytes: [UInt8], _ terminal: Terminal) throws {
        if let output {
            try Output(output).replace(with: bytes)
        } else {
            try bytes.withUnsafeBufferPointer { try terminal.write($0) }
        }
    }
}
