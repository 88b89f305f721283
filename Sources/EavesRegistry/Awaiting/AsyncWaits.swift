// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Which making waits for which others.
///
/// A making may wait for several at once, so that this is a graph of its own beside ``WaitGraph``. Its
/// edges never meet: what is made synchronously waits for no making.
enum AsyncWaits {
    private struct Edge {
        let target: Making
        /// How many tasks of the making wait for the target.
        var count: Int
    }

    private static let edges = Guarded<[ObjectIdentifier: [ObjectIdentifier: Edge]]>([:])

    /// Notes that a making is about to wait for another.
    ///
    /// - Returns: `nil`, or how what is `wanted` waits for the one that asks, if it does: waiting
    ///   would never end, and nothing was noted.
    static func wait(_ asker: Making?, for wanted: Making) -> [ServiceRequest]? {
        guard let asker else { return nil }
        return edges.withLock { edges in
            if let path = path(from: wanted, to: asker, edges) { return path.map(\.request) }
            edges[ObjectIdentifier(asker), default: [:]][
                ObjectIdentifier(wanted), default: Edge(target: wanted, count: 0)
            ].count += 1
            return nil
        }
    }

    /// Notes that a making waits no longer, after ``wait(_:for:)`` gave `nil`.
    static func resume(_ asker: Making?, from wanted: Making) {
        guard let asker else { return }
        edges.withLock { edges in
            let (from, to) = (ObjectIdentifier(asker), ObjectIdentifier(wanted))
            edges[from]?[to]?.count -= 1
            if edges[from]?[to]?.count == 0 { edges[from]?[to] = nil }
            if edges[from]?.isEmpty == true { edges[from] = nil }
        }
    }

    /// The makings from `start` to `goal`, both included, each waiting for the next.
    private static func path(
        from start: Making, to goal: Making, _ edges: [ObjectIdentifier: [ObjectIdentifier: Edge]]
    ) -> [Making]? {
        var before: [ObjectIdentifier: Making] = [:]
        var pending = [start]
        while let making = pending.popLast() {
            if making === goal {
                var path = [making]
                while let previous = before[ObjectIdentifier(path[path.count - 1])] {
                    path.append(previous)
                }
                return path.reversed()
            }
            for edge in (edges[ObjectIdentifier(making)] ?? [:]).values {
                let target = ObjectIdentifier(edge.target)
                guard edge.target !== start, before[target] == nil else { continue }
                before[target] = making
                pending.append(edge.target)
            }
        }
        return nil
    }
}
