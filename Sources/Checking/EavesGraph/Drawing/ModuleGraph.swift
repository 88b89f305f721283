// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesJSON

/// The parts that a picture of modules can show besides them.
package enum GraphPart: String, CaseIterable, Sendable {
    case features
    /// The modules that provide a service and are not chosen.
    case implementations
    /// Interface modules, and the modules that name them.
    case interfaces
    /// The routes of interfaces, the modules that open them, and those that they lead to.
    case routes
    /// Services between the modules that ask for them and the modules that provide them.
    case services
}

/// An application as a picture shows it: nodes, in groups, and edges between them. Sorted, so that the same modules always
/// give the same picture.
///
/// Where the picture has no services, an edge leads from each module that asks for one to the module that it gets.
package struct ModuleGraph: Hashable, Sendable {
    package let nodes: [Node]
    package let edges: [Edge]

    init(nodes: some Sequence<Node>, edges: some Sequence<Edge>) {
        self.nodes = nodes.sorted { $0.id < $1.id }
        self.edges = edges.sorted {
            ($0.from, $0.to, $0.kind.rawValue) < ($1.from, $1.to, $1.kind.rawValue)
        }
    }

    package struct Node: Hashable, Sendable {
        package let id: NodeID
        /// The name as people write it.
        package let name: String
        /// `nil` for what belongs to no layer: it is missing, or the program has it.
        package let layer: Layer?
        /// A remark about it in a few words: the reason why it cannot be used, or that the program
        /// has it. `nil` if there is nothing to say.
        package let remark: String?
        /// Whether it is there and can be used.
        package let isUsable: Bool
    }

    package struct Edge: Hashable, Sendable {
        package let from: NodeID
        package let to: NodeID
        package let kind: EdgeKind
        package let state: EdgeState
        /// For a binding with weights: the weight, and the sum of all.
        package var share: Share?
        /// The services that a module wants of another, as people write them. Empty for an edge to a service.
        package var services: [String] = []
    }

    /// A part of a whole, such as 10 of 100.
    package struct Share: Hashable, Sendable {
        package let weight: Int
        package let total: Int
    }
}

/// The identity of a node: its kind, and a name that no other node of the kind has.
package struct NodeID: Hashable, Sendable, Comparable {
    package enum Kind: String, CaseIterable, Sendable {
        case module, interface, service, feature, route
    }

    package let kind: Kind
    package let key: String

    /// For example `module users-v2`.
    var text: String { "\(kind.rawValue) \(key)" }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        (left.kind.rawValue, left.key) < (right.kind.rawValue, right.key)
    }
}

package enum EdgeKind: String, CaseIterable, Sendable {
    /// A module provides a service, or a route that links can open.
    case provides
    case requires
    /// A module's binary asks for a service that its declaration does not require: an optional one, or one
    /// that it gets later.
    case asks
    case names
    case binds
    case offers
    case opens
    /// A route leads to the factory of a screen.
    case leads
}

/// The state of an edge. Pictures show it by the style of the line and in words, never by colour alone.
package enum EdgeState: String, CaseIterable, Sendable {
    /// As it should be.
    case bound
    /// The implementation is not the one that is used.
    case unbound
    /// No provider exists for the service that the edge leads to.
    case missing
    /// Several modules provide it, and the manifest does not choose.
    case ambiguous
    /// The edge is part of a circle of modules that require each other.
    case cyclic
}

extension ModuleGraph.Edge {
    package var label: String {
        switch state {
        case .bound: words
        case .unbound: "\(words), unbound"
        case .missing: "\(words), missing"
        case .ambiguous: "\(words), several providers"
        case .cyclic: "\(words), in a cycle"
        }
    }

    private var words: String {
        switch kind {
        case .provides: "provides"
        case .requires: services.isEmpty ? "requires" : services.joined(separator: ", ")
        case .asks:
            services.isEmpty ? "may ask for" : "may ask for " + services.joined(separator: ", ")
        case .names: "names"
        case .binds: "bound to" + (share.map { ", \($0.weight) of \($0.total)" } ?? "")
        case .offers: "offers"
        case .opens: "opens"
        case .leads: "leads to"
        }
    }
}

extension ModuleGraph.Node {
    /// The text in the node: its name, and below it the remark.
    var lines: [String] { [name] + (remark.map { ["(\($0))"] } ?? []) }
}

extension ModuleGraph {
    /// The part of the picture around some nodes.
    ///
    /// - Parameter depth: How many edges away other nodes are at most, in whichever direction.
    package func around(_ isFocus: (NodeID) -> Bool, depth: Int) -> ModuleGraph {
        var near = Set(nodes.map(\.id).filter(isFocus))
        for _ in 0..<depth {
            let reached = edges.flatMap { edge -> [NodeID] in
                near.contains(edge.from) ? [edge.to] : near.contains(edge.to) ? [edge.from] : []
            }
            if near.isSuperset(of: reached) { break }
            near.formUnion(reached)
        }
        return ModuleGraph(
            nodes: nodes.filter { near.contains($0.id) },
            edges: edges.filter { near.contains($0.from) && near.contains($0.to) })
    }

    /// Whether the picture shows modules and their lines alone, so that layers can stand above each other.
    var isOfModules: Bool { nodes.allSatisfy { $0.id.kind == .module || $0.layer == nil } }

    /// The groups of a picture: those of layers in the order of the layers, then the nodes of no layer.
    var groups: [(layer: Layer?, nodes: [Node])] {
        let layers: [Layer?] = Layer.allCases + [nil]
        return layers.compactMap { layer in
            let members = nodes.filter { $0.layer == layer }
            return members.isEmpty ? nil : (layer, members)
        }
    }

    /// The picture as data, for programs that draw by themselves.
    package var json: JSON {
        [
            "schema": 1,
            "nodes": .array(
                nodes.map { node in
                    [
                        "id": .string(node.id.text), "kind": .string(node.id.kind.rawValue),
                        "name": .string(node.name),
                        "layer": node.layer.map { .string($0.rawValue) } ?? .null,
                        "remark": .text(node.remark),
                        "usable": .bool(node.isUsable),
                    ]
                }),
            "edges": .array(
                edges.map { edge in
                    [
                        "from": .string(edge.from.text), "to": .string(edge.to.text),
                        "kind": .string(edge.kind.rawValue), "state": .string(edge.state.rawValue),
                        "weight": edge.share.map { .integer($0.weight) } ?? .null,
                        "total": edge.share.map { .integer($0.total) } ?? .null,
                        "services": .texts(edge.services),
                    ]
                }),
        ]
    }
}
