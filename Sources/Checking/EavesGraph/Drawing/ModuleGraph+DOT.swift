// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration

/// A picture in the language of graphviz.
///
/// Shapes tell the kinds of nodes apart; the style of a line, its arrow head and its words tell how things stand with
/// it. Classes tell the same to the style of a page. See https://graphviz.org/doc/info/lang.html.
extension ModuleGraph {
    package var dotText: String {
        let groups = self.groups.map(group)
        let edges = self.edges.map(line)
        return """
            digraph eaves {
              rankdir=\(isOfModules ? "TB" : "LR");
              node [fontname="sans-serif", fontsize=11, style="filled,rounded", fillcolor=white];
              edge [fontname="sans-serif", fontsize=9];

            """ + groups.joined() + edges.joined() + "}\n"
    }

    private func group(_ layer: Layer?, _ nodes: [ModuleGraph.Node]) -> String {
        guard let layer else { return nodes.map { line($0, indent: "  ") }.joined() }
        return "  subgraph cluster_\(layer.rawValue) {\n"
            + "    label=\(Self.quoted([layer.rawValue]));\n"
            + "    fontname=\"sans-serif\"; style=\"filled,rounded\"; color=\"#f4f6f8\";\n"
            + nodes.map { line($0, indent: "    ") }.joined() + "  }\n"
    }

    private func line(_ node: ModuleGraph.Node, indent: String) -> String {
        let style = Self.style(of: node).map { ", \($0)" } ?? ""
        return indent + Self.quoted(node.id)
            + " [label=\(Self.quoted(node.lines)), shape=\(Self.shape(of: node.id.kind))\(style)];\n"
    }

    private func line(_ edge: ModuleGraph.Edge) -> String {
        "  \(Self.quoted(edge.from)) -> \(Self.quoted(edge.to)) "
            + "[label=\(Self.quoted([edge.label])), \(Self.style(of: edge))];\n"
    }

    private static func shape(of kind: NodeID.Kind) -> String {
        switch kind {
        case .module: "box"
        case .interface: "component"
        case .service: "ellipse"
        case .feature: "house"
        case .route: "hexagon"
        }
    }

    /// The colour and the class of a node that cannot be used; `nil` for one that can.
    private static func style(of node: ModuleGraph.Node) -> String? {
        if node.isUsable { return nil }
        let (name, color) =
            switch node.remark {
            case "disabled": ("disabled", "#ececec")
            case "missing": ("missing", "#fff1cc")
            default: ("broken", "#fde2e1")
            }
        return "style=\"filled,rounded,dashed\", fillcolor=\"\(color)\", class=\(name)"
    }

    private static func style(of edge: ModuleGraph.Edge) -> String {
        switch edge.state {
        case .unbound: "style=dashed, arrowhead=empty"
        case .missing: "style=dotted, arrowhead=tee, color=red, class=wrong"
        case .ambiguous: "style=dashed, arrowhead=diamond, color=red, class=wrong"
        case .cyclic: "style=bold, arrowhead=dot, color=red, class=wrong"
        case .bound:
            switch edge.kind {
            case .binds: "style=bold, arrowhead=normal"
            case .asks: "style=dashed, arrowhead=vee"
            case .names, .leads: "style=dotted, arrowhead=vee"
            case .provides, .requires, .offers, .opens: "style=solid, arrowhead=normal"
            }
        }
    }

    private static func quoted(_ id: NodeID) -> String { quoted([id.text]) }

    /// A text in quotes. In labels, a backslash begins an escape, and an ampersand an entity of HTML.
    private static func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            line.unicodeScalars.map { scalar -> String in
                switch scalar {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "&": "&amp;"
                case "\n": "\\n"
                default: String(scalar)
                }
            }.joined()
        }
        return "\"" + escaped.joined(separator: "\\n") + "\""
    }
}
