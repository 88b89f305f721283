// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

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
            try instanceOnMainActor(
                of: registration, service, in: context, repeat each arguments)
        }
        if let found { return found }
        let owner = try owner(of: key, service, in: context, repeat (each Argument).self)
        return try owner.resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }

    /// What a module itself registered, whichever module is chosen, on the main actor.
    @MainActor
    func ownOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, of module: String,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let own = try ownIfRegisteredOnMainActor(
            service, name: name, of: module, repeat each arguments)
        if let own { return own }
        return try resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }

    /// What a module itself registered, on the main actor; `nil` if it registered none.
    @MainActor
    func ownIfRegisteredOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, of module: String,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service? {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        guard
            let own = ownRegistration(service, name: name, of: module, repeat (each Argument).self)
        else { return nil }
        return try instanceOnMainActor(of: own, service, in: context, repeat each arguments)
    }

    @MainActor
    private func instanceOnMainActor<Service: Sendable, each Argument: Sendable>(
        of registration: Registration, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        guard
            let factory = registration.traits.awaitedFactory
                as? MainActorFactory<Service, repeat each Argument>
        else { return try instance(of: registration, service, in: context, repeat each arguments) }
        return try create(factory, of: registration, in: context, repeat each arguments)
    }

    /// The instance of a factory on the main actor, for a task that has just come there.
    @MainActor
    func createOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ factory: MainActorFactory<Service, repeat each Argument>, of registration: Registration,
        in tables: HeldTables, _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let context = ThreadContext.current
        return try context.inSection(of: tables) { () throws(ResolutionError) in
            try create(factory, of: registration, in: context, repeat each arguments)
        }
    }

    @MainActor
    private func create<Service: Sendable, each Argument: Sendable>(
        _ mainActor: MainActorFactory<Service, repeat each Argument>, of registration: Registration,
        in context: ThreadContext, _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        // SAFETY: every registration of a service is a `Factory` of it.
        let factory = unsafeDowncast(registration, to: Factory<Service>.self)
        if let store = mainActor.store {
            context.noteAsk(of: factory)
            if let known = store.instance { return known }
        }
        return try forOthers(registration, in: context) { () throws(ResolutionError) in
            try createAnew(mainActor, factory, in: context, repeat each arguments)
        }
    }

    @MainActor
    private func createAnew<Service: Sendable, each Argument: Sendable>(
        _ mainActor: MainActorFactory<Service, repeat each Argument>, _ factory: Factory<Service>,
        in context: ThreadContext, _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        if factory.scope == .graph, let known = context.graph.instance(of: factory) { return known }
        if let known = context.incompleteObjects?.instance(of: factory) { return known }
        try context.checkCycle(factory)
        let new = try context.steppingBack { () throws(ResolutionError) -> Service in
            try context.running(factory) { () throws -> Service in
                try lending(in: context) { try mainActor.create($0, repeat each arguments) }
            }
        }
        let instance = factory.scope == .graph ? context.graph.keep(new, of: factory) : new
        if let completed = mainActor.completed {
            try complete(instance, of: factory, in: context, completed)
        }
        mainActor.store?.keep(instance)
        return instance
    }

    @MainActor
    private func complete<Service: Sendable>(
        _ instance: Service, of factory: Factory<Service>, in context: ThreadContext,
        _ completed: @escaping @MainActor (any Resolver, Service) throws -> Void
    ) throws(ResolutionError) {
        let run = { () throws(ResolutionError) in
            try context.running(factory) { () throws in
                try self.lending(in: context) { try completed($0, instance) }
            }
        }
        if factory.scope == .transient { return try run() }
        let isGraph = factory.scope == .graph
        try context.completing(
            instance, of: factory, drop: { if isGraph { context.graph.forget(factory) } }, run)
    }
}
