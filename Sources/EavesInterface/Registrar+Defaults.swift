// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Default implementations of the requirements that interface 1.1 added, for registrars that implement
// only the requirements of 1.0.
extension Registrar {
    /// The default registers the factory with an empty list of runtime arguments.
    public func registerWithoutArguments<Service: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        registerWithArguments(service, name: name, scope: scope, place: place, factory: factory)
    }

    /// With a parameter pack, overload resolution chooses the requirement that takes a pack.
    private func registerWithArguments<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        register(service, name: name, scope: scope, place: place, factory: factory)
    }

    /// The default registers a factory that throws ``ResolutionError/Reason/needsAwait``.
    public func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        registerFailing(service, name, scope, place, .needsAwait, repeat (each Argument).self)
    }

    /// The default registers a factory that throws ``ResolutionError/Reason/needsMainActor``.
    public func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) {
        registerFailing(service, name, scope, place, .needsMainActor, repeat (each Argument).self)
    }

    private func registerFailing<Service: Sendable, each Argument>(
        _ service: Service.Type, _ name: String?, _ scope: Scope, _ place: SourcePlace,
        _ reason: ResolutionError.Reason, _ arguments: repeat (each Argument).Type
    ) {
        var types: [Any.Type] = []
        for type in repeat each arguments { types.append(type) }
        let error = ResolutionError(
            reason, wanted: ServiceRequest(service, name: name, arguments: types))
        register(service, name: name, scope: scope, place: place) {
            (_: any Resolver, _: repeat each Argument) throws -> Service in
            throw error
        }
    }

    /// The default registers a factory that completes the new instance itself. It ignores the needs.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        needs: [ServiceNeed],
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        guard let completed else {
            return register(service, name: name, scope: scope, place: place, factory: factory)
        }
        register(service, name: name, scope: scope, place: place) {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let instance = try factory(resolver, repeat each arguments)
            try completed(resolver, instance)
            return instance
        }
    }

    /// The default registers a factory that resolves the target and converts it.
    public func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        register(service, name: name, scope: .transient, place: place) {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let instance = try resolver.resolve(
                target, name: targetName, arguments: repeat each arguments)
            return try convert(instance)
        }
    }

    /// The default ends the process: a registrar that cannot decorate must not ignore a decorator.
    public func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        // Optimised programs print the words of a fatal error, and none of a failed precondition.
        fatalError(
            "\(place): \(type(of: self)) does not implement decorate(_:name:place:decorator:)")
    }
}
