// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Who builds which shared instance, and who waits for which.
///
/// Two threads, each building what the other waits for, would wait for ever. A thread that is about
/// to wait looks whether the one it waits for waits, at the end, for itself.
/// Touched only when a shared instance is built or waited for, never when it is there.
enum WaitGraph {
    /// A shared instance that can be waited for.
    final class Node: Sendable {
        // SAFETY: read and written in this file alone, under the lock of `waits`.
        /// Who makes it, if anybody does.
        nonisolated(unsafe) fileprivate var builder: Builder?
    }
    /// A thread that builds and waits: the address of its reader record.
    typealias Builder = UInt

    private struct Wait {
        let node: Node
        /// Those who cannot go on before the waiting thread does: itself, and the threads for whose
        /// factories it resolves.
        let builders: [Builder]
    }

    /// Who waits for what.
    private static let waits = Guarded<[Builder: Wait]>([:])

    /// Whether the instance can be there only after one of `builders` has gone on.
    private static func isHeld(
        _ node: Node, by builders: [Builder], _ waits: [Builder: Wait]
    ) -> Bool {
        var pending = [node]
        var seen: Set = [ObjectIdentifier(node)]
        while let wanted = pending.popLast() {
            guard let owner = wanted.builder else { continue }
            if builders.contains(owner) { return true }
            for wait in waits.values
            where wait.builders.contains(owner)
                && seen.insert(ObjectIdentifier(wait.node)).inserted
            {
                pending.append(wait.node)
            }
        }
        return false
    }

    /// Notes that `builder` makes the instance.
    static func begin(_ node: Node, by builder: Builder) {
        waits.withLock { _ in node.builder = builder }
    }

    /// Who makes the instance, if anybody does.
    static func builder(of node: Node) -> Builder? {
        waits.withLock { _ in node.builder }
    }

    /// Notes that the instance is no longer being made.
    static func end(_ node: Node) {
        waits.withLock { _ in node.builder = nil }
    }

    /// Notes that a thread is about to wait for the instance; `false` if that would never end.
    ///
    /// - Parameters:
    ///   - thread: Who waits.
    ///   - builders: Who cannot go on before that: the thread, and those for whom it resolves.
    static func wait(on node: Node, by thread: Builder, for builders: [Builder]) -> Bool {
        waits.withLock { waits in
            if isHeld(node, by: builders, waits) { return false }
            waits[thread] = Wait(node: node, builders: builders)
            return true
        }
    }

    /// Notes that a thread waits no longer.
    static func resume(_ thread: Builder) {
        waits.withLock { $0[thread] = nil }
    }
}
