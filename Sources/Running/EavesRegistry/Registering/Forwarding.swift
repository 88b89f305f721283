// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

extension Factory {
    /// A registration that is answered by what answers another service, the target.
    ///
    /// - Parameter create: A function that gets the target, and converts it.
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

    /// The instance of what a module itself registered, whichever module is chosen; `nil` if it
    /// registered none.
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
