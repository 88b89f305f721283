// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDeclaration
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesGraph

@Suite("pictures in text")
struct DrawingTextTests {
    /// A graph with every kind of node, every kind and state of edge, and names that need escapes.
    private static let everything: ModuleGraph = {
        let odd = #"a "quoted" \n & <b> #1; [x] | end 'ü' -->"#
        let nodes = NodeID.Kind.allCases.enumerated().map { index, kind in
            ModuleGraph.Node(
                id: NodeID(kind: kind, key: odd), name: odd,
                layer: index < 4 ? Layer.allCases[index] : nil,
                remark: index == 1 ? "missing" : nil, isUsable: index != 1)
        }
        let edges = EdgeKind.allCases.flatMap { kind in
            EdgeState.allCases.map { state in
                ModuleGraph.Edge(
                    from: nodes[0].id, to: nodes[2].id, kind: kind, state: state,
                    share: kind == .binds ? ModuleGraph.Share(weight: 1, total: 3) : nil)
            }
        }
        return ModuleGraph(nodes: nodes, edges: edges)
    }()

    private static let small = ModuleGraph(
        nodes: [
            ModuleGraph.Node(
                id: NodeID(kind: .module, key: "users-v2"), name: "users-v2", layer: .core,
                remark: "disabled", isUsable: false),
            ModuleGraph.Node(
                id: NodeID(kind: .service, key: "A.Users"), name: "Users", layer: nil, remark: nil,
                isUsable: true),
        ],
        edges: [
            ModuleGraph.Edge(
                from: NodeID(kind: .module, key: "users-v2"),
                to: NodeID(kind: .service, key: "A.Users"), kind: .provides, state: .unbound)
        ])

    @Test("for graphviz have shapes, styles and words")
    func dot() {
        #expect(
            Self.small.dotText == #"""
                digraph eaves {
                  rankdir=TB;
                  node [fontname="sans-serif", fontsize=11, style="filled,rounded", fillcolor=white];
                  edge [fontname="sans-serif", fontsize=9];
                  subgraph cluster_core {
                    label="core";
                    fontname="sans-serif"; style="filled,rounded"; color="#f4f6f8";
                    "module users-v2" [label="users-v2\n(disabled)", shape=box, style="filled,rounded,dashed", fillcolor="#ececec", class=disabled];
                  }
                  "service A.Users" [label="Users", shape=ellipse];
                  "module users-v2" -> "service A.Users" [label="provides, unbound", style=dashed, arrowhead=empty];
                }

                """#)
    }

    @Test("for Mermaid have the same, with identifiers that are no keywords")
    func mermaid() {
        #expect(
            Self.small.mermaidText == """
                flowchart TB
                  subgraph layer_core ["core"]
                    module_users_2dv2["users-v2<br>(disabled)"]
                  end
                  service_A_2eUsers(["Users"])
                  module_users_2dv2 -.->|"provides, unbound"| service_A_2eUsers
                  classDef unusable stroke-dasharray: 5 5
                  class module_users_2dv2 unusable

                """)
    }

    @Test("tell the states of an edge apart by the line, and in words")
    func states() {
        for kind in EdgeKind.allCases {
            let edges = EdgeState.allCases.map {
                ModuleGraph.Edge(
                    from: NodeID(kind: .module, key: "a"), to: NodeID(kind: .service, key: "b"),
                    kind: kind, state: $0)
            }
            for texts in [
                edges.map { ModuleGraph(nodes: [], edges: [$0]).dotText },
                edges.map { ModuleGraph(nodes: [], edges: [$0]).mermaidText },
            ] {
                #expect(Set(texts.map(Self.withoutWords)).count >= 4, "\(kind)")
            }
            #expect(Set(edges.map(\.label)).count == EdgeState.allCases.count)
        }
    }

    /// The text without what stands in quotes, and without colours.
    private static func withoutWords(_ text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }
            .joined().replacing(", color=red, class=wrong", with: "")
    }

    @Test("for Mermaid have no character in a name that could end it")
    func mermaidEscapes() throws {
        for line in Self.everything.mermaidText.split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            // Quotes come in pairs: none stands in a name.
            #expect(parts.count % 2 == 1, "\(line)")
            for (index, part) in parts.enumerated() where index % 2 == 1 {
                let text = part.replacing("<br>", with: "")
                let isPlain = text.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic && $0.isASCII
                        || " ,()'-.:#;0123456789".unicodeScalars.contains($0)
                }
                #expect(isPlain, "\(line)")
            }
        }
    }

    @Test("are what graphviz understands")
    func graphviz() throws {
        guard let graphviz = try? Graphviz() else {
            try Test.cancel("needs graphviz's 'dot'")
        }
        let svg = String(
            decoding: try graphviz.svg(of: Self.everything.dotText), as: UTF8.self)
        #expect(svg.contains("<svg") && svg.contains("</svg>"))
        #expect(svg.contains("a &quot;quoted&quot; \\n &amp; &lt;b&gt; #1; [x] | end &#39;ü&#39;"))
        #expect(svg.contains("bound to, 1 of 3, missing"))
    }

    @Test("are not drawn by a tool that fails, which is reported with what it says")
    func failing() throws {
        let folder = try TemporaryFolder()
        // Somebody else makes the program: a file that this process writes can be open in a child that
        // another test spawns just now, and is then too busy to be run.
        try folder.write("#!/bin/sh\necho 'no fonts' >&2\nexit 3\n", to: "script")
        _ = try ChildPool.run(
            ChildCommand(
                "/bin/sh",
                [
                    "-c",
                    "cp \(folder.file("script")) \(folder.file("dot")); chmod 755 \(folder.file("dot"))",
                ]))
        var environment = Environment.current
        environment["PATH"] = folder.path + ":/usr/bin:/bin"
        let graphviz = try Graphviz(environment)
        let error = #expect(throws: GraphvizError.self) { try graphviz.svg(of: "digraph {}") }
        #expect(
            error?.diagnostics.map(\.message) == [
                "\(folder.file("dot")) made no picture, and ended with exit code 3: no fonts"
            ])
    }

    @Test("need graphviz for SVG, and the message names the package")
    func missing() throws {
        var environment = Environment.current
        environment["PATH"] = "/nowhere"
        let error = #expect(throws: GraphvizError.self) { _ = try Graphviz(environment) }
        #expect(error?.isMissing == true)
        #expect(
            error?.diagnostics.first?.fix
                == "install graphviz (on Debian: apt-get install graphviz)")
    }
}
