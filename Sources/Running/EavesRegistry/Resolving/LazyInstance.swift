// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The instance behind a ``Lazy``: resolved once, however many threads are the first to use it.
///
/// Threads that wait for it are part of the ``WaitGraph``, so that a factory can use it.
final class LazyInstance<Service: Sendable>: Sendable {
    private struct State {
        var instance: Service?
        /// `nil` once the instance exists and was asked for, so that only the instance is kept.
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
        while true {
            let (known, resolver) = state.withLock { ($0.instance, $0.resolver) }
            if let known {
                if resolver != nil { state.withLock { $0.resolver = nil } }
                return known
            }
            if let incomplete = context.circle?.instance(of: self) { return incomplete }
            guard let resolver else { preconditionFailure("there is an instance or a resolver") }
            let isMine = try turn.begin(
                for: context, unless: { state.withLock { $0.instance != nil } },
                cycle: {
                    let wanted = ServiceRequest(Service.self, name: name)
                    return ResolutionError(.cycle, wanted: wanted, chain: context.chain)
                }, after: resolver.patience,
                isLate: { resolver.tellOfLongWait(for: ServiceRequest(Service.self, name: name)) })
            guard isMine else { continue }
            defer { turn.end(by: context.thread) }
            return try resolve(by: resolver, in: context)
        }
    }

    private func resolve(
        by resolver: WeakResolver, in context: ThreadContext
    ) throws(ResolutionError) -> Service {
        let circle = context.circle
        let outer = circle?.begin()
        defer { if let outer { _ = circle?.end(outer) } }
        let instance = try resolver.resolve(Service.self, name: name)
        // An incomplete object may be dropped yet, and other threads must not see it.
        if let circle, circle.reached != Circle.none {
            circle.add(
                Circle.Member(instance, of: self, turn: nil, level: circle.reached) {
                    // The ``WaitGraph`` calls this under its lock, so this releases no object.
                    self.state.withLock { if $0.instance == nil { $0.instance = instance } }
                })
            return instance
        }
        return state.withLock { state in
            if let known = state.instance { return known }
            state = State(instance: instance)
            return instance
        }
    }
}
