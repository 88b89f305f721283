// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface

/// A resolver that asks a container where the code stands that it was given to: a factory while others may wait for its
/// instance, or the life cycle of a module.
///
/// A factory that hands its resolver to another thread, and waits for what that thread resolves, is
/// still creating the same instance. So a resolution through this resolver, or through a provider or a
/// lazy value that it gave, continues where the factory stands: on any thread, asking for what is being
/// created is a cycle. Once the factory has returned, the resolver is the same as the container.
///
/// Child tasks and tasks that an awaited factory starts know what is being created, too; detached tasks and threads
/// know it through this resolver alone.
final class IndirectResolver: Resolver {
    /// The code that was given the resolver, or the one from which this one comes.
    enum Origin {
        case none
        case thread(Creation)
        case task(TaskContext)
        case lifecycle(AskingModule)
    }

    /// The container, if the resolver keeps it alive: only then can it lend and count changes.
    let keptContainer: Container?
    /// The container otherwise, so that an instance can keep a resolver of the container that keeps the instance.
    private weak let weakContainer: Container?
    private let origin: Origin

    /// A resolver that keeps its container alive.
    init(_ container: Container, in origin: Origin) {
        (keptContainer, weakContainer) = (container, nil)
        self.origin = origin
    }

    init(weakly container: Container, in origin: Origin = .none) {
        (keptContainer, weakContainer) = (nil, container)
        self.origin = origin
    }

    private var container: Container? { keptContainer ?? weakContainer }

    /// A resolver for the same container that does not keep it alive.
    var weak: IndirectResolver {
        keptContainer.map { IndirectResolver(weakly: $0, in: origin) } ?? self
    }

    private func container(
        for service: Any.Type, _ name: String?
    ) throws(ResolutionError) -> Container {
        guard let container else {
            throw ResolutionError(.containerGone, wanted: ServiceRequest(service, name: name))
        }
        return container
    }

    /// Calls `body` with the container, in the resolver's context.
    ///
    /// The service is the one that is asked for, in case that the container is gone.
    func ask<Answer>(
        _ service: Any.Type, _ name: String?,
        _ body: (Container) throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        let container = try container(for: service, name)
        switch origin {
        case .none: return try body(container)
        case .thread(let creation): return try creation.ask(container, body)
        case .task(let context): return try context.ask(container, body)
        case .lifecycle(let module):
            return try ThreadContext.current.asking(for: module) { () throws(ResolutionError) in
                try body(container)
            }
        }
    }

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
        let container = try container(for: service, name)
        if case .task(let context) = origin, context.isElsewhere {
            return try await TaskContext.$current.resolvingAsync(with: context) {
                () async throws(ResolutionError) in
                try await container.resolveAsync(
                    service, name: name, arguments: repeat each arguments)
            }
        }
        guard keptContainer != nil, case .thread = origin else {
            return try await container.resolveAsync(
                service, name: name, arguments: repeat each arguments)
        }
        let found = try ask(service, name) { (container) throws(ResolutionError) in
            try container.look(for: service, name: name, repeat each arguments)
        }
        return try await container.finish(found, repeat each arguments)
    }

    /// The time to wait for a lazy value before ``tellOfLongWait(for:)`` is called.
    var patience: Duration { container?.patience ?? .seconds(10) }

    func tellOfLongWait(for request: ServiceRequest) {
        container?.tellOfLongWait(for: request)
    }
}

extension Container {
    package var weaklyHeld: any Resolver { IndirectResolver(weakly: self) }

    package func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        IndirectResolver(weakly: self).lazy(service, name: name)
    }

    /// A resolver for the life cycle of a module, which asks in the name of the module. It does not keep the container
    /// alive, since the container keeps the objects of the module.
    package func resolver(forLifecycleOf module: String) -> any Resolver {
        IndirectResolver(weakly: self, in: .lifecycle(AskingModule(id: module)))
    }
}

/// The instance behind a ``Lazy``: resolved once, however many threads are the first to use it.
///
/// Threads that wait for it are part of the ``WaitGraph``, so that a factory can use it.
final class LazyInstance<Service: Sendable>: Sendable {
    private struct State {
        var instance: Service?
        /// `nil` once the instance exists and was asked for, so that only the instance is kept.
        var resolver: IndirectResolver?
    }

    private let name: String?
    private let state: Guarded<State>
    private let turn = CreationTurn()

    init(_ service: Service.Type, name: String?, from resolver: IndirectResolver) {
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
        by resolver: IndirectResolver, in context: ThreadContext
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
