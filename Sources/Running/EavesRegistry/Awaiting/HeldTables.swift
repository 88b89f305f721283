// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The tables of a resolution that is awaited. No read section keeps them, because tasks go on where they like: their
/// containers keep them until this goes.
///
/// Safe from any thread.
final class HeldTables: Sendable {
    private let held = Guarded<[HeldTable]>([])
    /// Whether a call began with them, and others count by now.
    private let isOfCall: Bool

    /// Holds the tables that a thread's resolution has asked so far.
    init(of context: ThreadContext) {
        isOfCall = context.isOfCall
        hold(context)
    }

    deinit {
        for held in held.withLock({ $0 }) { held.container.letGo(held.table, by: .factory) }
    }

    /// Lets a resolution of the calling thread, which has asked no container yet, go on with these tables.
    func lend(to context: ThreadContext) {
        for held in held.withLock({ $0 }) { context.add(held.container, held.table) }
        if isOfCall { context.beginPartOfCall() }
    }

    /// Whether a thread's resolution has asked the same tables.
    fileprivate func agree(with context: ThreadContext) -> Bool {
        let held = held.withLock { $0 }
        return context.pinned.allSatisfy { container, table in
            held.allSatisfy {
                $0.container !== container || $0.table.identity == table.identity
            }
        }
    }

    /// Holds the tables of further containers, which a thread's resolution has asked. Its section still keeps them.
    func hold(_ context: ThreadContext) {
        let known = held.withLock { $0 }
        for (container, table) in context.pinned
        where !known.contains(where: { $0.container === container }) {
            table.hold(for: .factory)
            let new = HeldTable(container: container, table: table)
            held.withLock { $0.append(new) }
        }
    }
}

extension ThreadContext {
    /// The tables of the resolution that is under way, for a factory that is awaited: those of the task's resolution,
    /// if this is a part of it.
    var heldTables: HeldTables {
        if let tables = TaskContext.frame?.tables, tables.agree(with: self) { return tables }
        return HeldTables(of: self)
    }
}

/// A table of a container that is not let go yet.
struct HeldTable: Sendable {
    let container: Container
    // SAFETY: the container keeps it until it is let go.
    nonisolated(unsafe) let table: RegistrationTable
}
