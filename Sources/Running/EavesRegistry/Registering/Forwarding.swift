// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// A service that is answered by what answers another one, its target.
struct Forwarding<Service: Sendable, Target: Sendable>: Sendable {
    private let name: String?
    private let targetName: String?

    init(_ service: Service.Type, name: String?, target: Target.Type, targetName: String?) {
        self.name = name
        self.targetName = targetName
    }

    /// A registration whose factory resolves the target and converts it.
    ///
    /// - Parameter home: The container that has the module's registrations; `nil` for its own.
    func registration<each Argument>(
        module: String?, place: SourcePlace, arguments: repeat (each Argument).Type,
        home: Container? = nil, convert: @escaping @Sendable (Target) throws -> Service
    ) -> Registration {
        var traits = RegistrationTraits()
        let target = ServiceNeed.service(
            Target.self, name: targetName, arguments: repeat each arguments)
        traits.needs = [target]
        traits.target = target
        let targetName = targetName
        return Factory(
            name: name, scope: .transient, module: module, place: place, traits: traits,
            calling: ArgumentFactory {
                (resolver: any Resolver, arguments: repeat each Argument) -> Service in
                let target = try Self.target(
                    named: targetName, of: module, in: home, resolver, repeat each arguments)
                return try convert(target)
            })
    }

    /// The target: the module's own if it has registered one, whichever module is chosen.
    private static func target<each Argument>(
        named name: String?, of module: String?, in home: Container?, _ resolver: any Resolver,
        _ arguments: repeat each Argument
    ) throws -> Target {
        // SAFETY: everything that resolves holds the container of the factory that runs.
        if let module,
            let container = home ?? ThreadContext.current.top?.owner?.takeUnretainedValue(),
            let own = container.own(Target.self, name: name, of: module, repeat each arguments)
        {
            return try own.get()
        }
        let resolver = home ?? resolver
        return try resolver.resolve(Target.self, name: name, arguments: repeat each arguments)
    }
}

extension Container {
    /// The instance of what a module itself registered, whichever module is chosen; `nil` if it
    /// registered none.
    ///
    /// - Parameter orUnnamed: Whether a registration without a name will do if there is none with the name.
    func own<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, orUnnamed: Bool = false, of module: String,
        _ arguments: repeat each Argument
    ) -> Result<Service, ResolutionError>? {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        guard
            let own = ownRegistration(
                service, name: name, orUnnamed: orUnnamed, of: module,
                repeat (each Argument).self)
        else { return nil }
        do throws(ResolutionError) {
            return .success(
                try instance(of: own, service, in: context, repeat each arguments))
        } catch {
            return .failure(error)
        }
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
        if let found, found.module == module, found.shares == nil { return found }
        let key =
            ServiceKey.takesArguments(repeat each arguments)
            ? ServiceKey.alternative(
                ArgumentFactory<Service, repeat each Argument>.self, module: module, name: name)
            : ServiceKey.alternative(service, module: module, name: name)
        return table.find(key)?.takeUnretainedValue().base
    }
}
