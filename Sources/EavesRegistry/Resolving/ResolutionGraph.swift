// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The instances of the graph scope that one resolution has made so far.
///
/// Belongs to all who have entered it, until the last one has left: a thread, from the first of them
/// until the outermost resolution ends; or, where that is awaited, all its tasks.
final class ResolutionGraph: Sendable {
    private final class Instance<Service: Sendable>: Sendable {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }
    }

    private struct Entry {
        /// Keeps its identity from being another's.
        let registration: Registration
        let instance: any AnyObject & Sendable
    }

    private struct Entries {
        /// Each an `Instance`.
        var made: [ObjectIdentifier: Entry] = [:]
        /// Of what is awaited: each an `AsyncInstance`.
        var awaited: [ObjectIdentifier: Entry] = [:]
    }

    private struct State {
        var entries = Entries()
        var users = 0
        var hasEnded = false
    }

    private let state = Guarded(State())

    /// What the factory has made, if it has.
    func instance<Service>(of factory: ServiceFactory<Service>) -> Service? {
        let instance = state.withLock { $0.entries.made[ObjectIdentifier(factory)]?.instance }
        // SAFETY: `keep` is the only writer, and stores just this type under a factory of this
        // service. The entry keeps the factory alive, so that no other has its identity.
        return instance.map { unsafeDowncast($0, to: Instance<Service>.self).service }
    }

    /// Keeps what the factory has made until the resolution ends.
    ///
    /// - Returns: What is kept: another task of the resolution may have been faster.
    func keep<Service>(_ service: Service, of factory: ServiceFactory<Service>) -> Service {
        let made = Instance(service)
        let kept = state.withLock { state -> any AnyObject & Sendable in
            let key = ObjectIdentifier(factory)
            if let kept = state.entries.made[key] { return kept.instance }
            if !state.hasEnded {
                state.entries.made[key] = Entry(registration: factory, instance: made)
            }
            return made
        }
        // SAFETY: as in `instance(of:)`.
        return unsafeDowncast(kept, to: Instance<Service>.self).service
    }

    /// The place for what an awaited factory makes in this resolution.
    ///
    /// - Parameter registration: Whose factory makes the service.
    func asyncInstance<Service: Sendable>(
        of registration: Registration, _ service: Service.Type
    ) -> AsyncInstance<Service> {
        let instance = state.withLock { state -> any AnyObject & Sendable in
            let key = ObjectIdentifier(registration)
            if let known = state.entries.awaited[key] { return known.instance }
            let instance = AsyncInstance<Service>(isWeak: false)
            if !state.hasEnded {
                state.entries.awaited[key] = Entry(registration: registration, instance: instance)
            }
            return instance
        }
        // SAFETY: the lines above are the only writers, and the registration is of this service.
        return unsafeDowncast(instance, to: AsyncInstance<Service>.self)
    }

    /// Takes part in a resolution that has not ended, or else in a new one, until ``leave()``.
    static func enter(_ known: ResolutionGraph?) -> ResolutionGraph {
        if let known, known.enter() { return known }
        let new = ResolutionGraph()
        _ = new.enter()
        return new
    }

    /// - Returns: Whether the resolution has not ended.
    private func enter() -> Bool {
        state.withLock { state in
            if state.hasEnded { return false }
            state.users += 1
            return true
        }
    }

    /// Ends the resolution, and releases what was made, if nobody else takes part in it.
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

    /// Keeps it no longer.
    func forget(_ factory: Registration) {
        let forgotten = state.withLock {
            $0.entries.made.removeValue(forKey: ObjectIdentifier(factory))
        }
        // Released here, where no lock is held.
        withExtendedLifetime(forgotten) {}
    }
}
