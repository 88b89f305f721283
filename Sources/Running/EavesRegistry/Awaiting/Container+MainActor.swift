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
