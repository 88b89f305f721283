// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Which thread creates what others wait for, and which thread waits for what: instances that a scope keeps, modules
/// that are loaded, and work that one thread does for another.
///
/// Two threads that each create what the other one waits for would wait for ever. So a thread that is
/// about to wait follows the graph, and does not wait if it leads back to the thread itself. The graph
/// is used only while something is created, and never once it exists.
package enum WaitGraph {
    /// Something that threads can wait for.
    package final class Node: Sendable {
        /// Whether it is an instance that a scope keeps.
        package let isInstance: Bool
        // SAFETY: read and written in this file only, under the lock of `waits`.
        /// The thread that creates it, if one does.
        nonisolated(unsafe) fileprivate var creator: Thread?

        package init(isInstance: Bool) { self.isInstance = isInstance }
    }
    /// A thread, as the address of its record.
    package typealias Thread = UInt

    /// A thread, and those that cannot go on before it does.
    package struct Waiter: Sendable {
        package let thread: Thread
        let dependents: [Thread]
    }

    /// The calling thread.
    package static var current: Waiter {
        ThreadContext.current.waiter
    }

    private struct Wait {
        let node: Node
        /// The threads that cannot go on before the waiting thread does: the thread itself, and those
        /// for whose factories it resolves.
        let dependents: [Thread]
    }

    /// The waiting threads.
    private static let waits = Guarded<[Thread: Wait]>([:])

    /// Notes that a thread creates the instance.
    package static func begin(_ node: Node, by thread: Thread) {
        waits.withLock { _ in node.creator = thread }
    }

    /// The thread that creates the instance, if one does.
    package static func creator(of node: Node) -> Thread? {
        waits.withLock { _ in node.creator }
    }

    /// Notes that it is no longer being created.
    package static func end(_ node: Node) {
        waits.withLock { _ in node.creator = nil }
    }

    /// Notes that a thread is about to wait.
    ///
    /// - Returns: `nil`; if waiting would never end, the way from the node to one that the thread, or one of its
    ///   dependents, creates: the creator of each node waits for the next one. Then nothing is noted.
    package static func wait(on node: Node, by waiter: Waiter) -> [Node]? {
        waits.withLock { waits in
            if let way = way(from: node, to: waiter.dependents, waits) { return way }
            waits[waiter.thread] = Wait(node: node, dependents: waiter.dependents)
            return nil
        }
    }

    /// Whether a thread's wait would never end, and a module that is loaded is part of that. A thread can give up what it
    /// creates, but no module.
    static func leadsThroughModule(from node: Node, to waiter: Waiter) -> Bool {
        waits.withLock { waits in
            way(from: node, to: waiter.dependents, waits)?.contains { !$0.isInstance } ?? false
        }
    }

    /// Notes that a thread no longer waits.
    package static func resume(_ thread: Thread) {
        waits.withLock { $0[thread] = nil }
    }

    /// Notes that a thread no longer waits for a node. It may wait for another one.
    package static func resume(_ thread: Thread, from node: Node) {
        waits.withLock { waits in
            if waits[thread]?.node === node { waits[thread] = nil }
        }
    }

    /// Whether some thread waits for a node.
    package static func isAwaited(_ node: Node) -> Bool {
        waits.withLock { $0.values.contains { $0.node === node } }
    }

    private static func way(
        from node: Node, to threads: [Thread], _ waits: [Thread: Wait]
    ) -> [Node]? {
        var ways = [[node]]
        var seen: Set = [ObjectIdentifier(node)]
        while let way = ways.popLast() {
            guard let creator = way.last?.creator else { continue }
            if threads.contains(creator) { return way }
            for wait in waits.values
            where wait.dependents.contains(creator)
                && seen.insert(ObjectIdentifier(wait.node)).inserted
            {
                ways.append(way + [wait.node])
            }
        }
        return nil
    }
}
