// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// The result of looking for a service that may have to be awaited.
enum AsyncLookup<Service: Sendable>: Sendable {
    case found(Service)
    /// The service has to be awaited: its registration, the container that has it, and where the resolution finds what
    /// its factory needs.
    case awaited(Registration, Container, HeldTables)
    case underWay(Registration, CreationTurn)
}

extension Container {
    package func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let found = try look(for: service, name: name, repeat each arguments)
        return try await finish(found, repeat each arguments)
    }

    /// Finds a service, and creates it if it need not be awaited.
    func look<Service: Sendable, each Argument: Sendable>(
        for service: Service.Type, name: String?, _ arguments: repeat each Argument
    ) throws(ResolutionError) -> AsyncLookup<Service> {
        let context = ThreadContext.current
        return try context.inSection { () throws(ResolutionError) in
            let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
            let found = try withRegistration(of: key, in: context) {
                registration throws(ResolutionError) in
                try look(at: registration, service, in: context, repeat each arguments)
            }
            if let found { return found }
            let owner = try owner(of: key, service, in: context, repeat (each Argument).self)
            return try owner.look(for: service, name: name, repeat each arguments)
        }
    }

    private func look<Service: Sendable, each Argument: Sendable>(
        at registration: Registration, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> AsyncLookup<Service> {
        if let awaited = registration.traits.awaitedFactory {
            if let known = awaited.known(as: service) { return .found(known) }
            return try forOthers(registration, in: context) { () throws(ResolutionError) in
                .awaited(registration, self, context.heldTables)
            }
        }
        // SAFETY: every registration of a service is a `Factory` of it.
        let factory = unsafeDowncast(registration, to: Factory<Service>.self)
        if context.isIdle, let turn = factory.turn, turn.isTaken {
            return .underWay(registration, turn)
        }
        return .found(try instance(of: registration, service, in: context, repeat each arguments))
    }

    /// Awaits the service, if a look for it could not give it at once.
    func finish<Service: Sendable, each Argument: Sendable>(
        _ lookup: AsyncLookup<Service>, _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        switch lookup {
        case .found(let service):
            return service
        case .awaited(let registration, let owner, let tables):
            return try await owner.create(
                registration, in: tables, Service.self, repeat each arguments)
        case .underWay(let registration, let turn):
            await turn.ended()
            if Task.isCancelled { throw cancelled(registration.request) }
            return try await resolveAsync(
                Service.self, name: registration.key.name, arguments: repeat each arguments)
        }
    }

    /// The service that a module itself registered, as ``own(_:name:orUnnamed:of:_:)``; awaited where it has to be.
    func ownAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, orUnnamed: Bool = false, of module: String,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service? {
        func look() throws(ResolutionError) -> AsyncLookup<Service>? {
            let context = ThreadContext.current
            return try context.inSection { () throws(ResolutionError) in
                let own = ownRegistration(
                    service, name: name, orUnnamed: orUnnamed, of: module,
                    repeat (each Argument).self)
                return try own.map { own throws(ResolutionError) in
                    try self.look(at: own, service, in: context, repeat each arguments)
                }
            }
        }
        while true {
            switch try look() {
            case nil: return nil
            case .found(let service): return service
            case .awaited(let registration, _, let tables):
                return try await create(registration, in: tables, service, repeat each arguments)
            case .underWay(let registration, let turn):
                await turn.ended()
                if Task.isCancelled { throw cancelled(registration.request) }
            }
        }
    }

    private func create<Service: Sendable, each Argument: Sendable>(
        _ registration: Registration, in tables: HeldTables, _ service: Service.Type,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let awaited = registration.traits.awaitedFactory
        if let factory = awaited as? AsyncFactory<Service, repeat each Argument> {
            return try await create(factory, of: registration, in: tables, repeat each arguments)
        }
        if let known = awaited?.known(as: service) { return known }
        if Task.isCancelled { throw cancelled(registration.request) }
        return try await instanceOnMainActor(
            of: registration, service, in: tables, repeat each arguments)
    }

    /// Calls an `async` factory: in the current task if no scope keeps the instance, else in a task of
    /// its own, once for all that wait.
    private func create<Service: Sendable, each Argument: Sendable>(
        _ factory: AsyncFactory<Service, repeat each Argument>, of registration: Registration,
        in tables: HeldTables, _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        if let known = factory.instance?.known { return known }
        let asker = TaskContext.frame
        if let incomplete: Service = asker?.incomplete(of: registration) { return incomplete }
        try checkCycle(registration, in: asker)
        let graph = TaskContext.enterGraph()
        defer { graph.leave() }
        guard
            let instance = registration.scope == .graph
                ? graph.asyncInstance(of: registration, Service.self) : factory.instance
        else {
            let frame = AsyncFrame(registration, in: tables, parent: asker)
            return try await run(factory, of: registration, in: frame, graph, repeat each arguments)
                .get()
        }
        let ending = await instance.get(registration, in: tables, for: asker?.creation) {
            frame in
            // The task that asked first may have gone by now, and its resolution with it.
            let graph = ResolutionGraph.enter(graph)
            defer { graph.leave() }
            return await self.run(
                factory, of: registration, in: frame, graph, repeat each arguments)
        }
        switch ending {
        case .created(let service): return service
        case .failed(let error): throw error.needed(by: asker?.chain ?? [])
        case .cancelled: throw cancelled(registration.request)
        case .cycle(let path, let creation):
            // The creation waits for this one to complete its object, which exists already.
            if let incomplete: Service = creation.incomplete(of: registration) {
                return incomplete
            }
            throw ResolutionError(.cycle, wanted: path[path.count - 1], chain: path.dropLast())
                .needed(by: asker?.chain ?? [])
        }
    }

    private func run<Service: Sendable, each Argument: Sendable>(
        _ factory: AsyncFactory<Service, repeat each Argument>, of registration: Registration,
        in frame: AsyncFrame, _ graph: ResolutionGraph, _ arguments: repeat each Argument
    ) async -> Result<Service, ResolutionError> {
        let chain = frame.chain
        defer { frame.end() }
        do {
            let context = TaskContext(frame: frame, graph: graph)
            return .success(
                try await TaskContext.$current.withValue(context) {
                    let resolver = IndirectResolver(self, in: .task(context))
                    let instance = try await factory.create(resolver, repeat each arguments)
                    try frame.checkInjected()
                    if let completed = factory.completed {
                        // In the transient scope, the need of another instance would be a cycle.
                        if factory.scope != .transient { frame.keepIncomplete(instance) }
                        try await completed(resolver, instance)
                        try frame.checkInjected()
                    }
                    return instance
                })
        } catch let error as ResolutionError {
            return .failure(error)
        } catch {
            let isCancelled = error is CancellationError && Task.isCancelled
            return .failure(
                ResolutionError(
                    isCancelled ? .cancelled : .factoryFailed(error),
                    wanted: registration.request, chain: chain.dropLast(),
                    candidates: isCancelled ? [] : [registration.description]))
        }
    }

    /// Throws if the task runs the factory already, as ``ThreadContext/checkCycle(_:)`` does.
    private func checkCycle(
        _ registration: Registration, in asker: AsyncFrame?
    ) throws(ResolutionError) {
        guard let asker else { return }
        let depth = asker.depth(of: registration)
        let most =
            registration.request.arguments.isEmpty ? 0 : ResolutionError.mostRecursions
        guard depth > most else { return }
        throw ResolutionError(.cycle, wanted: registration.request, chain: asker.chain)
    }

    private func cancelled(_ request: ServiceRequest) -> ResolutionError {
        ResolutionError(.cancelled, wanted: request, chain: TaskContext.chain)
    }
}

extension ResolutionError {
    /// The error of a creation, for a task that waited for it.
    ///
    /// - Parameter asker: The services that the task was creating, outermost first.
    fileprivate func needed(by asker: [ServiceRequest]) -> ResolutionError {
        var chain = asker + chain
        var wanted = wanted
        if case .cycle = reason {
            // Both parts may contain the same cycle: it is shown once.
            var seen: Set<ServiceRequest> = []
            let all = chain + [wanted]
            if let end = all.firstIndex(where: { !seen.insert($0).inserted }) {
                wanted = all[end]
                chain = Array(all[..<end])
            }
        }
        return ResolutionError(reason, wanted: wanted, chain: chain, candidates: candidates)
    }
}

extension Container {
    @MainActor
    package func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        let found = try withRegistration(of: key, in: context) {
            registration throws(ResolutionError) -> Service in
            try instanceOnMainActor(of: registration, service, in: context, repeat each arguments)
        }
        if let found { return found }
        let owner = try owner(of: key, service, in: context, repeat (each Argument).self)
        return try owner.resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }

    /// The service that a module itself registered, as ``own(_:name:orUnnamed:of:_:)``, on the main actor.
    @MainActor
    func ownOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, orUnnamed: Bool = false, of module: String,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service? {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        guard
            let own = ownRegistration(
                service, name: name, orUnnamed: orUnnamed, of: module,
                repeat (each Argument).self)
        else { return nil }
        return try instanceOnMainActor(of: own, service, in: context, repeat each arguments)
    }

    /// The instance of a registration on the main actor, for a task that has just come there.
    @MainActor
    func instanceOnMainActor<Service: Sendable, each Argument: Sendable>(
        of registration: Registration, _ service: Service.Type, in tables: HeldTables,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let context = ThreadContext.current
        return try context.inSection(of: tables) { () throws(ResolutionError) in
            try instanceOnMainActor(of: registration, service, in: context, repeat each arguments)
        }
    }

    @MainActor
    private func instanceOnMainActor<Service: Sendable, each Argument: Sendable>(
        of registration: Registration, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        guard
            let mainActor = registration.traits.awaitedFactory
                as? MainActorFactory<Service, repeat each Argument>
        else { return try instance(of: registration, service, in: context, repeat each arguments) }
        if let known = mainActor.store?.instance { return known }
        // SAFETY: every registration of a service is a `Factory` of it.
        let factory = unsafeDowncast(registration, to: Factory<Service>.self)
        return try forOthers(registration, in: context) { () throws(ResolutionError) in
            try instanceAnew(
                of: factory, in: context,
                calling: { try mainActor.create($0, repeat each arguments) },
                completing: mainActor.completed.map { complete in
                    { try complete($0, $1) }
                }, in: mainActor.store)
        }
    }
}
