// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A registration that stands for what a module has registered: under a name to which the manifest binds the
/// module, or in a child container that chooses another module than its parent. It keeps nothing itself, so
/// all callers get the instances of the one that it stands for. It can also stand for registrations that several
/// modules have registered that share the calls.
struct StandIn: Sendable {
    private let name: String?
    private let module: String?
    private let place: SourcePlace
    /// The name of the registration that it stands for.
    private let targetName: String?
    /// The container that has that registration; `nil` for that of the stand-in.
    private let home: Container?
    /// The modules that share the calls; `nil` if there is one alone.
    private let shares: CallShares?

    init(
        for registration: Registration, name: String?, home: Container?, shares: CallShares? = nil
    ) {
        self.shares = shares
        self.name = name
        self.home = home
        module = registration.module
        place = registration.place
        targetName = registration.request.name
    }

    /// A stand-in for a service that is created synchronously.
    func forwarding<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat (each Argument).Type
    ) -> Registration {
        let (module, home, name, shares) = (module, home, targetName, shares)
        let target = ServiceNeed.service(service, name: name, arguments: repeat each arguments)
        return marked(
            Factory<Service>.forwarding(name: self.name, to: target, module: module, place: place) {
                (resolver: any Resolver, arguments: repeat each Argument) in
                guard let shares else {
                    return try Container.target(
                        service, name: name, of: module, in: home, resolver, repeat each arguments)
                }
                guard let container = ThreadContext.current.runningContainer else {
                    preconditionFailure("only a container calls a factory")
                }
                return try container.share(service, name: name, by: shares, repeat each arguments).0
            })
    }

    func awaiting<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat (each Argument).Type
    ) -> Registration {
        let (module, home, name, shares) = (module, home, targetName, shares)
        let factory = AsyncFactory<Service, repeat each Argument>(scope: .transient, completed: nil)
        {
            (resolver: any Resolver, arguments: repeat each Argument) in
            if let container = home ?? Self.container(of: resolver), let module {
                if let shares {
                    return try await container.shareAsync(
                        service, name: name, by: shares, repeat each arguments
                    ).0
                }
                let own = try await container.ownAsync(
                    service, name: name, of: module, repeat each arguments)
                if let own { return own }
            }
            return try await (home ?? resolver).resolveAsync(
                service, name: name, arguments: repeat each arguments)
        }
        return marked(factory, arguments: repeat (each Argument).self)
    }

    func onMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat (each Argument).Type
    ) -> Registration {
        let (module, home, name, shares) = (module, home, targetName, shares)
        let factory = MainActorFactory<Service, repeat each Argument>(
            scope: .transient, completed: nil
        ) {
            (resolver: any Resolver, arguments: repeat each Argument) in
            if let container = home ?? Self.container(of: resolver), let module {
                if let shares {
                    return try container.shareOnMainActor(
                        service, name: name, by: shares, repeat each arguments)
                }
                let own = try container.ownOnMainActor(
                    service, name: name, of: module, repeat each arguments)
                if let own { return own }
            }
            return try (home ?? resolver).resolveOnMainActor(
                service, name: name, arguments: repeat each arguments)
        }
        return marked(factory, arguments: repeat (each Argument).self)
    }

    private func marked<Awaited: AwaitedFactory, each Argument>(
        _ factory: Awaited, arguments: repeat (each Argument).Type
    ) -> Registration {
        let options = RegistrationOptions(name: name, place: place)
        return marked(
            Factory<Awaited.Service>(
                options, module: module, awaiting: factory, arguments: repeat each arguments))
    }

    private func marked(_ registration: Registration) -> Registration {
        var traits = registration.traits
        traits.isStandIn = true
        traits.callShares = shares
        return registration.copied(key: registration.key, traits: traits)
    }

    private static func container(of resolver: any Resolver) -> Container? {
        resolver as? Container ?? (resolver as? IndirectResolver)?.keptContainer
    }
}

extension Registration {
    /// Whether another module's registration can take calls of this one.
    func isAlike(_ other: Registration) -> Bool {
        service == other.service && traits.arguments == other.traits.arguments
            && [request.name, nil].contains(other.request.name)
    }

    /// The stand-ins for a registration without a name, under names that its module has not registered.
    func standIns(
        named names: [String], among own: [Registration], in home: Container? = nil
    ) -> [Registration] {
        guard request.name == nil else { return [] }
        return names.filter { name in
            !own.contains { $0.service == service && $0.request.name == name }
        }
        .map { standIn(named: $0, in: home, sharing: nil) }
    }
}

extension Factory {
    /// A registration that is answered by what answers another service, the target.
    static func forwarding<each Argument>(
        name: String?, to target: ServiceNeed, module: String?, place: SourcePlace,
        _ create: @escaping ArgumentFactory<Service, repeat each Argument>.Create
    ) -> Factory {
        var traits = RegistrationTraits(needs: [target])
        traits.target = target
        return Factory(
            name: name, scope: .transient, module: module, place: place, traits: traits,
            calling: ArgumentFactory(create))
    }
}

extension Container {
    /// The target of a forwarding: the module's own if it has registered one, whichever module is chosen.
    ///
    /// - Parameter home: The container that has the module's registrations; `nil` for that of the factory that runs.
    static func target<Target: Sendable, each Argument>(
        _ target: Target.Type, name: String?, of module: String?, in home: Container?,
        _ resolver: any Resolver, _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Target {
        if let module, let container = home ?? ThreadContext.current.runningContainer,
            let own = try container.own(target, name: name, of: module, repeat each arguments)
        {
            return own
        }
        let resolver = home ?? resolver
        return try resolver.resolve(target, name: name, arguments: repeat each arguments)
    }

    /// The instance of what a module itself registered, whichever module is chosen; `nil` if it registered none.
    ///
    /// - Parameter orUnnamed: Whether a registration without a name will do if there is none with the name.
    func own<Service: Sendable, each Argument>(
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
        return try instance(of: own, service, in: context, repeat each arguments)
    }

    /// The registration of a module itself, whichever module is chosen, valid within the read section.
    func ownRegistration<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, orUnnamed: Bool = false, of module: String,
        _ arguments: repeat (each Argument).Type
    ) -> Registration? {
        let own = exactly(service, name: name, of: module, repeat each arguments)
        guard own == nil, orUnnamed, name != nil else { return own }
        return exactly(service, name: nil, of: module, repeat each arguments)
    }

    private func exactly<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, of module: String,
        _ arguments: repeat (each Argument).Type
    ) -> Registration? {
        let chosen = ServiceKey(service, name: name, arguments: repeat each arguments)
        // One table for both keys: the registration may change its key meanwhile.
        let table = ThreadContext.current.table(of: self)
        let found = table.find(chosen)?.takeUnretainedValue()
        if let found, found.module == module, found.traits.shares == nil { return found }
        let key =
            ServiceKey.takesArguments(repeat each arguments)
            ? ServiceKey.alternative(
                ArgumentFactory<Service, repeat each Argument>.self, module: module, name: name)
            : ServiceKey.alternative(service, module: module, name: name)
        return table.find(key)?.takeUnretainedValue().base
    }
}
