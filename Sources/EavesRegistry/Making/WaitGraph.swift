// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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

    private struct Wait {
        let node: ObjectIdentifier
        /// Those who cannot go on before the waiting thread does: itself, and the threads for whose
        /// factories it resolves.
        let builders: [Builder]
    }

    private struct Edges {
        var builders: [ObjectIdentifier: Builder] = [:]
        var waits: [Builder: Wait] = [:]

        /// Whether the instance can be there only after one of `builders` has gone on.
        func isHeld(_ node: Node, by builders: [Builder]) -> Bool {
            var pending = [ObjectIdentifier(node)]
            var seen = Set(pending)
            while let wanted = pending.popLast() {
                guard let owner = self.builders[wanted] else { continue }
                if builders.contains(owner) { return true }
                for wait in waits.values
                where wait.builders.contains(owner) && seen.insert(wait.node).inserted {
                    pending.append(wait.node)
                }
            }
            return false
        }
    }

    private static let edges = Guarded(Edges())

    /// Notes that `builder` makes the instance.
    static func begin(_ node: Node, by builder: Builder) {
        edges.withLock { $0.builders[ObjectIdentifier(node)] = builder }
    }

    /// Who makes the instance, if anybody does.
    static func builder(of node: Node) -> Builder? {
        edges.withLock { $0.builders[ObjectIdentifier(node)] }
    }

    /// Notes that the instance is no longer being made.
    static func end(_ node: Node) {
        edges.withLock { $0.builders[ObjectIdentifier(node)] = nil }
    }

    /// Notes that a thread is about to wait for the instance; `false` if that would never end.
    ///
    /// - Parameters:
    ///   - thread: Who waits.
    ///   - builders: Who cannot go on before that: the thread, and those for whom it resolves.
    static func wait(on node: Node, by thread: Builder, for builders: [Builder]) -> Bool {
        edges.withLock { edges in
            if edges.isHeld(node, by: builders) { return false }
            edges.waits[thread] = Wait(node: ObjectIdentifier(node), builders: builders)
            return true
        }
    }

    /// Notes that a thread waits no longer.
    static func resume(_ thread: Builder) {
        edges.withLock { $0.waits[thread] = nil }
    }
}
