// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

/// The instance behind a ``Lazy``: resolved once, however many threads are the first to use it.
///
/// Threads that wait for it are part of the ``WaitGraph``, so that a factory can use it.
final class LazyInstance<Service: Sendable>: Sendable {
    private struct State {
        var instance: Service?
        /// `nil` once the instance exists, so that only the instance is kept.
        var resolver: WeakResolver?
    }

    private let name: String?
    private let state: Guarded<State>
    private let turn = CreationTurn()

    init(_ service: Service.Type, name: String?, from resolver: WeakResolver) {
        self.name = name
        state = Guarded(State(resolver: resolver))
    }

    /// The instance, resolved now if it does not exist.
    ///
    /// - Throws: ``ResolutionError``, as resolving does; then the next call tries again.
    func get() throws(ResolutionError) -> Service {
        let context = ThreadContext.current
        return try context.steppingBack { () throws(ResolutionError) in
            try instance(in: context)
        }
    }

    private func instance(in context: ThreadContext) throws(ResolutionError) -> Service {
        while true {
            let (known, resolver) = state.withLock { ($0.instance, $0.resolver) }
            if let known { return known }
            guard let resolver else { preconditionFailure("there is an instance or a resolver") }
            let isMine = try turn.begin(
                for: context, unless: { state.withLock { $0.instance != nil } },
                cycle: { cycle(in: context) }, after: resolver.patience,
                isLate: { resolver.tellOfLongWait(for: ServiceRequest(Service.self, name: name)) })
            guard isMine else { continue }
            // Other threads may wait for the value now, so nothing that is resolved for it may begin
            // anew before the turn has ended.
            context.record.pointee.lazy_depth += 1
            defer {
                context.record.pointee.lazy_depth -= 1
                turn.end()
            }
            let instance = try resolver.resolve(Service.self, name: name)
            state.withLock { $0 = State(instance: instance) }
            return instance
        }
    }

    private func cycle(in context: ThreadContext) -> ResolutionError {
        let wanted = ServiceRequest(Service.self, name: name)
        return context.crossing(
            turn, ResolutionError(.cycle, wanted: wanted, chain: context.chain))
    }
}
