// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The instances of the graph scope that one resolution has created so far.
///
/// It lasts until every thread and task that has entered it has left it. A thread enters it with the first such
/// instance, and leaves it when its outermost resolution ends. If the resolution is awaited, all of its tasks enter it.
final class ResolutionGraph: Sendable {
    private struct Entry {
        /// Kept so that no other registration gets the same identity.
        let registration: Registration
        let instance: any AnyObject & Sendable
    }

    private struct State {
        /// `BoxedService`s, and `AsyncInstance`s of awaited factories, by registration.
        var entries: [ObjectIdentifier: Entry] = [:]
        var users = 0
        var hasEnded = false
    }

    private let state = Guarded(State())

    func instance<Service>(of factory: Factory<Service>) -> Service? {
        let instance = state.withLock { $0.entries[ObjectIdentifier(factory)]?.instance }
        // Asked for without awaiting, what an awaited factory creates is none.
        return (instance as? BoxedService<Service>)?.service
    }

    /// Keeps an instance until the resolution ends.
    ///
    /// - Returns: The instance that is kept. Another task of the resolution may have been faster.
    func keep<Service>(_ service: Service, of factory: Factory<Service>) -> Service {
        keep(BoxedService(service), of: factory).service
    }

    /// The place for the instance that an awaited factory creates in this resolution.
    func asyncInstance<Service: Sendable>(
        of registration: Registration, _ service: Service.Type
    ) -> AsyncInstance<Service> {
        keep(AsyncInstance(in: InstanceStore(isWeak: false)), of: registration)
    }

    private func keep<Instance: AnyObject & Sendable>(
        _ new: Instance, of registration: Registration
    ) -> Instance {
        let kept = state.withLock { state -> any AnyObject & Sendable in
            let key = ObjectIdentifier(registration)
            if let kept = state.entries[key] { return kept.instance }
            if !state.hasEnded {
                state.entries[key] = Entry(registration: registration, instance: new)
            }
            return new
        }
        // SAFETY: all that is kept of one registration has one type.
        return unsafeDowncast(kept, to: Instance.self)
    }

    /// Enters a graph that has not ended, or else a new one. Each call is paired with ``leave()``.
    static func enter(_ known: ResolutionGraph?) -> ResolutionGraph {
        if let known, known.enter() { return known }
        let new = ResolutionGraph()
        _ = new.enter()
        return new
    }

    /// - Returns: Whether the graph was entered: it had not ended.
    private func enter() -> Bool {
        state.withLock { state in
            if state.hasEnded { return false }
            state.users += 1
            return true
        }
    }

    /// Leaves the graph. The last one to leave ends it and releases the instances.
    func leave() {
        let released = state.withLock { state -> [ObjectIdentifier: Entry] in
            state.users -= 1
            guard state.users == 0 else { return [:] }
            state.hasEnded = true
            defer { state.entries = [:] }
            return state.entries
        }
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    func forget(_ factory: Registration) {
        let forgotten = state.withLock {
            $0.entries.removeValue(forKey: ObjectIdentifier(factory))
        }
        // Released here, where no lock is held.
        withExtendedLifetime(forgotten) {}
    }
}
