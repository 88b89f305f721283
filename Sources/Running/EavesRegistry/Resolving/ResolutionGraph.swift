// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The instances of the graph scope that one resolution has created so far.
///
/// It lasts until every thread and task that has entered it has left it. A thread enters it with the
/// first such instance, and leaves it when its outermost resolution ends. If the resolution is
/// awaited, all of its tasks enter it.
final class ResolutionGraph: Sendable {
    private struct Entry {
        /// Kept so that no other registration gets the same identity.
        let registration: Registration
        let instance: any AnyObject & Sendable
    }

    private struct Entries {
        /// The values are `BoxedService`s.
        var created: [ObjectIdentifier: Entry] = [:]
        /// The values are `AsyncInstance`s, of awaited factories.
        var awaited: [ObjectIdentifier: Entry] = [:]
    }

    private struct State {
        var entries = Entries()
        var users = 0
        var hasEnded = false
    }

    private let state = Guarded(State())

    func instance<Service>(of factory: Factory<Service>) -> Service? {
        let instance = state.withLock { $0.entries.created[ObjectIdentifier(factory)]?.instance }
        // SAFETY: only `keep` writes, and stores exactly this type under a factory of this service. The
        // entry keeps the factory alive, so that no other gets its identity.
        return instance.map { unsafeDowncast($0, to: BoxedService<Service>.self).service }
    }

    /// Keeps an instance until the resolution ends.
    ///
    /// - Returns: The instance that is kept. Another task of the resolution may have been faster.
    func keep<Service>(_ service: Service, of factory: Factory<Service>) -> Service {
        let new = BoxedService(service)
        let kept = state.withLock { state -> any AnyObject & Sendable in
            let key = ObjectIdentifier(factory)
            if let kept = state.entries.created[key] { return kept.instance }
            if !state.hasEnded {
                state.entries.created[key] = Entry(registration: factory, instance: new)
            }
            return new
        }
        // SAFETY: as in `instance(of:)`.
        return unsafeDowncast(kept, to: BoxedService<Service>.self).service
    }

    /// The place for the instance that an awaited factory creates in this resolution.
    func asyncInstance<Service: Sendable>(
        of registration: Registration, _ service: Service.Type
    ) -> AsyncInstance<Service> {
        let instance = state.withLock { state -> any AnyObject & Sendable in
            let key = ObjectIdentifier(registration)
            if let known = state.entries.awaited[key] { return known.instance }
            let instance = AsyncInstance<Service>(in: InstanceStore(isWeak: false))
            if !state.hasEnded {
                state.entries.awaited[key] = Entry(registration: registration, instance: instance)
            }
            return instance
        }
        // SAFETY: only the lines above write, and the registration is of this service.
        return unsafeDowncast(instance, to: AsyncInstance<Service>.self)
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
        let released = state.withLock { state -> Entries? in
            state.users -= 1
            guard state.users == 0 else { return nil }
            state.hasEnded = true
            defer { state.entries = Entries() }
            return state.entries
        }
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    func forget(_ factory: Registration) {
        let forgotten = state.withLock {
            $0.entries.created.removeValue(forKey: ObjectIdentifier(factory))
        }
        // Released here, where no lock is held.
        withExtendedLifetime(forgotten) {}
    }
}
