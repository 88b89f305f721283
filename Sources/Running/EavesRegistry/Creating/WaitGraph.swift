// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Which thread creates what others wait for, and which thread waits for what: instances that a scope keeps, modules
/// that are loaded, and work that one thread does for another.
///
/// Two threads that each create what the other one waits for would wait for ever. So a thread that is
/// about to wait follows the graph, and does not wait if it leads back to the thread itself. No thread uses the
/// graph for an instance that exists.
package enum WaitGraph {
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

    package static var current: Waiter {
        ThreadContext.current.waiter
    }

    private struct Wait {
        let node: Node
        /// The threads that cannot go on before the waiting thread does: the thread itself, and those
        /// for whose factories it resolves.
        let dependents: [Thread]
    }

    private static let waits = Guarded<[Thread: Wait]>([:])

    package static func begin(_ node: Node, by thread: Thread) {
        waits.withLock { _ in node.creator = thread }
    }

    package static func creator(of node: Node) -> Thread? {
        waits.withLock { _ in node.creator }
    }

    package static func end(_ node: Node) {
        waits.withLock { _ in node.creator = nil }
    }

    /// Notes that instances are no longer being created, unless another thread has taken one of them over.
    ///
    /// - Parameter publish: A function that makes the instances visible. Called while no thread can take them over.
    /// - Returns: Whether the thread created all of them.
    static func end(_ nodes: [Node], by thread: Thread, _ publish: () -> Void) -> Bool {
        waits.withLock { _ in
            guard nodes.allSatisfy({ $0.creator == thread }) else { return false }
            publish()
            for node in nodes { node.creator = nil }
            return true
        }
    }

    /// The ways in which a thread gets an instance that is being created.
    enum Answer {
        case waits
        /// The thread itself creates it already.
        case hasTurn
        /// The thread creates it in the place of another one, which would wait for this thread.
        case takesOver
        /// The instance needs what this thread creates.
        case needsItself
    }

    /// Notes that a thread is about to wait for an instance, or that it creates the instance itself if waiting would
    /// never end.
    static func waitOrTakeOver(_ node: Node, by waiter: Waiter) -> Answer {
        waits.withLock { waits in
            guard let way = way(from: node, to: waiter.dependents, waits) else {
                waits[waiter.thread] = Wait(node: node, dependents: waiter.dependents)
                return .waits
            }
            if node.creator == waiter.thread { return .hasTurn }
            // The other thread works for this one, or one of the two starts a module that the other one waits for.
            if node.creator.map(waiter.dependents.contains) ?? false
                || way.contains(where: { !$0.isInstance })
            {
                return .needsItself
            }
            node.creator = waiter.thread
            return .takesOver
        }
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

    package static func resume(_ thread: Thread) {
        waits.withLock { $0[thread] = nil }
    }

    /// Notes that a thread no longer waits for a node. It may wait for another one.
    package static func resume(_ thread: Thread, from node: Node) {
        waits.withLock { waits in
            if waits[thread]?.node === node { waits[thread] = nil }
        }
    }

    package static func isAwaited(_ node: Node) -> Bool {
        waits.withLock { $0.values.contains { $0.node === node } }
    }

    private static func way(
        from node: Node, to threads: [Thread], _ waits: [Thread: Wait]
    ) -> [Node]? {
        way(from: node, to: { $0.creator.map(threads.contains) ?? false }) { node in
            guard let creator = node.creator else { return [] }
            return waits.values.filter { $0.dependents.contains(creator) }.map(\.node)
        }
    }

    /// A way from one object to a goal, both included; `nil` if there is none.
    static func way<Node: AnyObject>(
        from start: Node, to isGoal: (Node) -> Bool, over next: (Node) -> [Node]
    ) -> [Node]? {
        var ways = [[start]]
        var seen: Set = [ObjectIdentifier(start)]
        while let way = ways.popLast() {
            let last = way[way.count - 1]
            if isGoal(last) { return way }
            for node in next(last) where seen.insert(ObjectIdentifier(node)).inserted {
                ways.append(way + [node])
            }
        }
        return nil
    }
}
