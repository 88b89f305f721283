// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest

/// A picture as a Mermaid flowchart, which GitHub draws in a page of Markdown.
///
/// Names stand in quotes, with entity codes for everything that could end them or mean something else. See
/// https://mermaid.js.org/syntax/flowchart.
extension ModuleGraph {
    package var mermaidText: String {
        let groups = self.groups.map(group)
        let edges = self.edges.map(line)
        let marked = nodes.filter { !$0.isUsable }.map { Self.identifier($0.id) }
        let classes =
            marked.isEmpty
            ? ""
            : "  classDef unusable stroke-dasharray: 5 5\n"
                + "  class \(marked.joined(separator: ",")) unusable\n"
        let direction = isOfModules ? "TB" : "LR"
        return "flowchart \(direction)\n" + groups.joined() + edges.joined() + classes
    }

    private func group(_ layer: Layer?, _ nodes: [ModuleGraph.Node]) -> String {
        guard let layer else { return nodes.map { line($0, indent: "  ") }.joined() }
        return "  subgraph layer_\(layer.rawValue) [\(Self.quoted([layer.rawValue]))]\n"
            + nodes.map { line($0, indent: "    ") }.joined() + "  end\n"
    }

    private func line(_ node: ModuleGraph.Node, indent: String) -> String {
        let (start, end) = Self.shape(of: node.id.kind)
        return indent + Self.identifier(node.id) + start + Self.quoted(node.lines) + end + "\n"
    }

    private func line(_ edge: ModuleGraph.Edge) -> String {
        "  \(Self.identifier(edge.from)) \(Self.arrow(of: edge))|\(Self.quoted([edge.label]))| "
            + "\(Self.identifier(edge.to))\n"
    }

    private static func shape(of kind: NodeID.Kind) -> (String, String) {
        switch kind {
        case .module: ("[", "]")
        case .interface: ("[[", "]]")
        case .service: ("([", "])")
        case .feature: ("[/", "/]")
        case .route: ("{{", "}}")
        }
    }

    private static func arrow(of edge: ModuleGraph.Edge) -> String {
        switch edge.state {
        case .unbound: "-.->"
        case .missing: "-.-x"
        case .ambiguous: "-.-o"
        case .cyclic: "==o"
        case .bound:
            switch edge.kind {
            case .binds: "==>"
            case .asks, .names, .leads: "-.->"
            case .provides, .requires, .offers, .opens: "-->"
            }
        }
    }

    /// An identifier of letters, digits and underscores, which no keyword of Mermaid is: `module_users_2dv2`
    /// for the module `users-v2`.
    private static func identifier(_ id: NodeID) -> String {
        let key = id.key.utf8.map { byte -> String in
            if Names.isLetterOrDigit(byte) { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16)
            return "_" + (digits.count == 1 ? "0" : "") + digits
        }
        return "\(id.kind.rawValue)_\(key.joined())"
    }

    private static func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            line.unicodeScalars.map { scalar in
                isHarmless(scalar) ? String(scalar) : "#\(scalar.value);"
            }.joined()
        }
        return "\"" + escaped.joined(separator: "<br>") + "\""
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(Names.isLetterOrDigit) == true
            || [" ", ",", "(", ")", "'", "-", "."].contains(scalar)
    }
}
