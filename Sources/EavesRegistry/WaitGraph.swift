// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Who builds which shared instance, and who waits for which.
///
/// Two threads, each building what the other waits for, would wait for ever. A thread that is about
/// to wait looks whether the one it waits for waits, at the end, for itself.
/// Touched only when a shared instance is built or waited for, never when it is there.
enum WaitGraph {
    /// A shared instance that can be waited for. Identity only.
    final class Node: Sendable {}
    /// A thread that builds and waits: the address of its reader record.
    typealias Builder = UInt

    private struct Edges {
        var builders: [ObjectIdentifier: Builder] = [:]
        var waits: [Builder: ObjectIdentifier] = [:]
    }

    private static let edges = Mutex(Edges())

    /// Notes that `builder` makes the instance.
    static func begin(_ node: Node, by builder: Builder) {
        edges.withLock { $0.builders[ObjectIdentifier(node)] = builder }
    }

    /// Notes that the instance is no longer being made.
    static func end(_ node: Node) {
        edges.withLock { $0.builders[ObjectIdentifier(node)] = nil }
    }

    /// Notes that `builder` is about to wait for the instance; `false` if that would never end.
    static func wait(on node: Node, by builder: Builder) -> Bool {
        edges.withLock { edges in
            var next: ObjectIdentifier? = ObjectIdentifier(node)
            while let wanted = next, let owner = edges.builders[wanted] {
                if owner == builder { return false }
                next = edges.waits[owner]
            }
            edges.waits[builder] = ObjectIdentifier(node)
            return true
        }
    }

    /// Notes that `builder` waits no longer.
    static func resume(_ builder: Builder) {
        edges.withLock { $0.waits[builder] = nil }
    }
}
