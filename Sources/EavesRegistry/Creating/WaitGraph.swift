// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Which thread creates which instance, and which thread waits for which.
///
/// Two threads that each create what the other one waits for would wait for ever. So a thread that is
/// about to wait follows the graph, and does not wait if it leads back to the thread itself. The graph
/// is used only while an instance that a scope keeps is created, and never once it exists.
enum WaitGraph {
    /// An instance that threads can wait for.
    final class Node: Sendable {
        // SAFETY: read and written in this file only, under the lock of `waits`.
        /// The thread that creates it, if one does.
        nonisolated(unsafe) fileprivate var creator: Thread?
    }
    /// A thread, as the address of its record.
    typealias Thread = UInt

    private struct Wait {
        let node: Node
        /// The threads that cannot go on before the waiting thread does: the thread itself, and those
        /// for whose factories it resolves.
        let dependents: [Thread]
    }

    /// The waiting threads.
    private static let waits = Guarded<[Thread: Wait]>([:])

    /// Notes that a thread creates the instance.
    static func begin(_ node: Node, by thread: Thread) {
        waits.withLock { _ in node.creator = thread }
    }

    /// The thread that creates the instance, if one does.
    static func creator(of node: Node) -> Thread? {
        waits.withLock { _ in node.creator }
    }

    /// Notes that the instance is no longer being created.
    static func end(_ node: Node) {
        waits.withLock { _ in node.creator = nil }
    }

    /// Notes that a thread is about to wait for the instance.
    ///
    /// - Parameter dependents: The threads that cannot go on before the thread does, including itself.
    /// - Returns: `false` if waiting would never end; then nothing is noted.
    static func wait(on node: Node, by thread: Thread, for dependents: [Thread]) -> Bool {
        waits.withLock { waits in
            if isHeld(node, by: dependents, waits) { return false }
            waits[thread] = Wait(node: node, dependents: dependents)
            return true
        }
    }

    /// Notes that a thread no longer waits.
    static func resume(_ thread: Thread) {
        waits.withLock { $0[thread] = nil }
    }

    /// Whether the instance can exist only after one of these threads has gone on.
    private static func isHeld(
        _ node: Node, by threads: [Thread], _ waits: [Thread: Wait]
    ) -> Bool {
        var pending = [node]
        var seen: Set = [ObjectIdentifier(node)]
        while let wanted = pending.popLast() {
            guard let creator = wanted.creator else { continue }
            if threads.contains(creator) { return true }
            for wait in waits.values
            where wait.dependents.contains(creator)
                && seen.insert(ObjectIdentifier(wait.node)).inserted
            {
                pending.append(wait.node)
            }
        }
        return false
    }
}
