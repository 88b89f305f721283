// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Which awaited creations wait for which others.
///
/// A creation may wait for several others at once, which a thread cannot. So this graph is another one
/// than ``WaitGraph``. The two never meet: nothing synchronous waits for an awaited creation.
enum AsyncWaitGraph {
    private struct Edge {
        let target: AsyncCreation
        /// The number of tasks of the creation that wait for the target.
        var count: Int
    }

    private typealias Edges = [ObjectIdentifier: [ObjectIdentifier: Edge]]

    private static let edges = Guarded<Edges>([:])

    /// Notes that a creation is about to wait for another one.
    ///
    /// - Returns: `nil`; or, if waiting would never end, the path along which `wanted` waits for the
    ///   one that asks. Then nothing is noted.
    static func wait(
        _ asker: AsyncCreation?, for wanted: AsyncCreation
    ) -> [ServiceRequest]? {
        guard let asker else { return nil }
        return edges.withLock { edges in
            if let path = path(from: wanted, to: asker, edges) { return path.map(\.request) }
            edges[ObjectIdentifier(asker), default: [:]][
                ObjectIdentifier(wanted), default: Edge(target: wanted, count: 0)
            ].count += 1
            return nil
        }
    }

    /// Notes that a creation no longer waits, after ``wait(_:for:)`` returned `nil`.
    static func resume(_ asker: AsyncCreation?, from wanted: AsyncCreation) {
        guard let asker else { return }
        edges.withLock { edges in
            let (from, to) = (ObjectIdentifier(asker), ObjectIdentifier(wanted))
            edges[from]?[to]?.count -= 1
            if edges[from]?[to]?.count == 0 { edges[from]?[to] = nil }
            if edges[from]?.isEmpty == true { edges[from] = nil }
        }
    }

    /// The creations from `start` to `goal`, both included, each waiting for the next.
    private static func path(
        from start: AsyncCreation, to goal: AsyncCreation, _ edges: Edges
    ) -> [AsyncCreation]? {
        var before: [ObjectIdentifier: AsyncCreation] = [:]
        var pending = [start]
        while let creation = pending.popLast() {
            if creation === goal {
                var path = [creation]
                while let previous = before[ObjectIdentifier(path[path.count - 1])] {
                    path.append(previous)
                }
                return path.reversed()
            }
            for edge in (edges[ObjectIdentifier(creation)] ?? [:]).values {
                let target = ObjectIdentifier(edge.target)
                guard edge.target !== start, before[target] == nil else { continue }
                before[target] = creation
                pending.append(edge.target)
            }
        }
        return nil
    }
}
