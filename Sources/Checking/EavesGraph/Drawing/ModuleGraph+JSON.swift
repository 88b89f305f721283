// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesJSON

extension ModuleGraph {
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
                        "remark": node.remark.map(JSON.string) ?? .null,
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
                        "services": .array(edge.services.map(JSON.string)),
                    ]
                }),
        ]
    }
}

extension NodeID {
    /// For example `module users-v2`.
    var text: String { "\(kind.rawValue) \(key)" }
}
