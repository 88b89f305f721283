// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// The instances of registrations that a container gives out no more: how many of them live, and whether anything that
/// began before is under way.
///
/// It keeps nothing of a module alive. Safe from any thread.
package final class RetiredInstances: Sendable {
    // SAFETY: the object is the one that a Sendable instance is, and nothing uses it.
    /// A registration that was taken back, and its object.
    private struct Item: @unchecked Sendable {
        /// The registration, which goes when no thread can be creating the object any more.
        weak var registration: Registration?
        weak var object: AnyObject?
    }

    private struct State {
        var requests: [ServiceRequest] = []
        var items: [Item] = []
        /// The number of tables that may still be read and have what was taken back, and of generations in which calls
        /// are under way, and one more while it is being taken back.
        var parts = 1
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())

    init() {}

    package var requests: [ServiceRequest] { state.withLock { $0.requests } }

    /// The number of objects that live.
    ///
    /// These are the objects that scopes kept: shared, named and weak ones. Values that are no objects are not
    /// counted, and neither are transient objects, nor those of the graph scope. The container itself keeps
    /// its instances until ``isDrained``.
    package var living: Int {
        noteObjects()
        let objects = state.withLock { $0.items.compactMap { $0.object.map(Held.init) } }
        return withExtendedLifetime(objects) { objects.count }
    }

    /// Notes the objects that exist by now: a factory that was running may have created one. Also called before the
    /// registrations go.
    func noteObjects() {
        let items = state.withLock { $0.items }
        // No lock is held, since this may release an instance that no other code keeps.
        let objects = items.map { $0.object ?? $0.registration?.keptObject }
        let known = zip(items, objects).map { Item(registration: $0.registration, object: $1) }
        state.withLock { state in
            for (index, item) in known.enumerated() where item.object != nil {
                state.items[index] = item
            }
        }
        withExtendedLifetime(objects) {}
    }

    // SAFETY: the object is the one that a Sendable instance is, and nothing uses it.
    /// An object that is kept until no lock is held.
    private struct Held: @unchecked Sendable {
        let object: AnyObject
    }

    /// Whether no resolution, loan or factory can be under way any more that began before, awaited ones included, and,
    /// in a module with a life cycle, no call: none of them gives these instances out, or creates another one.
    ///
    /// Code that keeps a service is not seen, in a task or on a thread: a feature may still run, and so may calls of
    /// the services that it has.
    package var isDrained: Bool { state.withLock { $0.parts == 0 } }

    /// Calls a function once ``isDrained``: at once, or on the thread that leaves last. It must not block that
    /// thread.
    package func onDrained(_ observer: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.parts > 0 { state.observers.append(observer) }
            return state.parts == 0
        }
        if isDrained { observer() }
    }

    /// Notes what was taken back: readers cannot find it any more. No lock is held, since this may release an
    /// instance that no other code keeps.
    func add(_ outcome: ContainerRecords.Outcome) {
        let removed = outcome.removed
        let kept = Set(outcome.kept.flatMap(\.base.decorationChain).map { ObjectIdentifier($0) })
        let items = removed.flatMap(\.base.decorationChain)
            .filter { $0.keepsInstances && !kept.contains(ObjectIdentifier($0)) }
            .map { Item(registration: $0, object: $0.keptObject) }
        state.withLock { state in
            state.requests += removed.lazy
                .filter { !kept.contains(ObjectIdentifier($0.base)) }.map(\.request)
            state.items += items
        }
    }

    /// Counts the calls that are under way in generations that a container has taken back whole. The container calls
    /// this before it gives these instances to its caller, who may ask whether they have drained.
    func awaitCalls(through gates: [CallGate]) {
        for gate in gates {
            begin()
            gate.end { [self] in end() }
        }
    }

    /// Notes that a table has been replaced that has what was taken back.
    func begin() {
        state.withLock { $0.parts += 1 }
    }

    /// Notes that no thread reads such a table any more, or that everything has been taken back.
    func end() {
        let observers = state.withLock { state in
            state.parts -= 1
            guard state.parts == 0 else { return [] as [@Sendable () -> Void] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer() }
    }
}
