// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface

/// A resolver that asks a container in a certain context: it says how to get to the container, and
/// everything else follows here.
protocol IndirectResolver: Resolver {
    /// The container, if the resolver keeps it alive: only then can it lend and count changes.
    var keptContainer: Container? { get }

    /// A resolver for the same container that does not keep it alive.
    var weak: WeakResolver { get }

    /// Calls `body` with the container, in the resolver's context.
    ///
    /// The service is the one that is asked for, in case that the container is gone.
    func ask<Answer>(
        _ service: Any.Type, _ name: String?,
        _ body: (Container) throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer
}

extension IndirectResolver {
    var changes: ChangeCounter? { keptContainer?.changes }
    var weaklyHeld: any Resolver { weak }

    func lend(_ service: Any.Type, name: String?) -> Loan {
        keptContainer?.lend(service, name: name) ?? Loan()
    }

    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        let instance = LazyInstance(service, name: name, from: weak)
        return Lazy { () throws(ResolutionError) in try instance.get() }
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try ask(service, name) { (container) throws(ResolutionError) in
            try container.resolve(service, name: name)
        }
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try ask(service, name) { (container) throws(ResolutionError) in
            try container.resolve(service, name: name, arguments: repeat each arguments)
        }
    }

    func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? {
        try ask(service, name) { (container) throws(ResolutionError) in
            try container.resolveIfProvided(service, name: name)
        }
    }

    func isProvided(_ service: Any.Type, name: String?) -> Bool {
        (try? ask(service, name) { (container) -> Bool in
            container.isProvided(service, name: name)
        }) ?? false
    }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        try ask(service, nil) { (container) throws(ResolutionError) in
            try container.resolveAll(service, arguments: repeat each arguments)
        }
    }

    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try ask(service, name) { (container) throws(ResolutionError) in
            try container.resolveOnMainActor(
                service, name: name, arguments: repeat each arguments)
        }
    }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let (container, found) = try ask(service, name) { (container) throws(ResolutionError) in
            (container, try container.look(for: service, name: name, repeat each arguments))
        }
        return try await container.finish(found, repeat each arguments)
    }
}

/// A resolver that does not keep its container alive, so that an instance can keep the resolver of the
/// container that keeps the instance.
final class WeakResolver: IndirectResolver {
    /// The code that was given the resolver from which this one comes. A factory counts until it has returned.
    enum Origin {
        case none
        case thread(Creation)
        case task(TaskContext)
        case lifecycle(AskingModule)
    }

    private weak let container: Container?
    private let origin: Origin

    init(_ container: Container, in origin: Origin = .none) {
        self.container = container
        self.origin = origin
    }

    var keptContainer: Container? { nil }
    var weak: WeakResolver { self }

    /// The time to wait for a lazy value before ``tellOfLongWait(for:)`` is called.
    var patience: Duration { container?.patience ?? .seconds(10) }

    func tellOfLongWait(for request: ServiceRequest) {
        container?.tellOfLongWait(for: request)
    }

    func ask<Answer>(
        _ service: Any.Type, _ name: String?,
        _ body: (Container) throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        guard let container else {
            throw ResolutionError(.containerGone, wanted: ServiceRequest(service, name: name))
        }
        switch origin {
        case .none: return try body(container)
        case .thread(let creation): return try creation.ask(container, body)
        case .task(let context):
            return try AsyncCreationResolver(container, context).ask(service, name, body)
        case .lifecycle(let module):
            return try ThreadContext.current.asking(for: module) { () throws(ResolutionError) in
                try body(container)
            }
        }
    }

    // Unlike the default, this keeps the context of a task while it waits.
    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        guard let container else {
            throw ResolutionError(.containerGone, wanted: ServiceRequest(service, name: name))
        }
        guard case .task(let context) = origin else {
            return try await container.resolveAsync(
                service, name: name, arguments: repeat each arguments)
        }
        return try await AsyncCreationResolver(container, context).resolveAsync(
            service, name: name, arguments: repeat each arguments)
    }
}

extension Container {
    package var weaklyHeld: any Resolver { WeakResolver(self) }

    package func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        WeakResolver(self).lazy(service, name: name)
    }

    /// A resolver for the life cycle of a module, which asks in the name of the module. It does not keep the container
    /// alive, since the container keeps the objects of the module.
    package func resolver(forLifecycleOf module: String) -> any Resolver {
        WeakResolver(self, in: .lifecycle(AskingModule(id: module)))
    }
}

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
