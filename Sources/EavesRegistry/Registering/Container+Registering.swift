// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// The host registers directly; a module registers through `StagedRegistrar`.
extension Container {
    /// Registers a factory of the host's own.
    ///
    /// - Parameter overriding: Whether it takes the place of a registration with the same key, and of
    ///   those that modules register under it later.
    /// - Throws: ``RegistrationError`` if the key is taken, unless `overriding` is set.
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert(
            Factory(name: name, scope: scope, module: nil, place: place, create: factory),
            overriding: overriding)
    }

    /// Registers a factory of the host's own that declares its needs, or completes what it created.
    ///
    /// - Parameters:
    ///   - overriding: As in ``register(_:name:scope:overriding:fileID:line:factory:)``.
    ///   - needs: What the factory asks for, for ``validate(providing:)``.
    ///   - completed: Runs after the factory, and may resolve what comes back to the new object.
    /// - Throws: ``RegistrationError`` if the key is taken, unless `overriding` is set.
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, needs: [ServiceNeed], fileID: StaticString = #fileID,
        line: UInt = #line, factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)? = nil
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert(
            Factory(
                name: name, scope: scope, module: nil, place: place,
                traits: RegistrationTraits(needs: needs), completed: completed, create: factory),
            overriding: overriding)
    }

    /// Registers an `async` factory of the host's own.
    ///
    /// - Parameter overriding: As in ``register(_:name:scope:overriding:fileID:line:factory:)``.
    /// - Throws: ``RegistrationError`` if the key is taken, unless `overriding` is set.
    package func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert(
            Factory(
                name: name, scope: scope, module: nil, place: place, async: factory),
            overriding: overriding)
    }

    /// Registers a factory of the host's own that runs on the main actor.
    ///
    /// - Parameter overriding: As in ``register(_:name:scope:overriding:fileID:line:factory:)``.
    /// - Throws: ``RegistrationError`` if the key is taken, unless `overriding` is set.
    package func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert(
            Factory(
                name: name, scope: scope, module: nil, place: place, onMainActor: factory),
            overriding: overriding)
    }

    /// Answers a service with what answers another one, in that one's scope.
    ///
    /// - Parameters:
    ///   - targetName: The name that the target is registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order; they are passed on.
    ///   - convert: Turns the target into the service.
    /// - Throws: ``RegistrationError`` if the key is taken.
    package func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, to target: Target.Type,
        targetName: String? = nil, arguments: repeat (each Argument).Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        convert: @escaping @Sendable (Target) throws -> Service
    ) throws(RegistrationError) {
        let forwarding = Forwarding(service, name: name, target: target, targetName: targetName)
        try insert([
            forwarding.registration(
                module: nil, place: SourcePlace(fileID: fileID, line: line),
                arguments: repeat each arguments, convert: convert)
        ])
    }

    /// Decorates a service, whichever module registers it, now or later.
    ///
    /// An instance that a scope keeps is decorated once, and an instance that exists already is not
    /// created again. Services that have to be awaited are not decorated.
    package func decorate<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        let decorator = ServiceDecorator<Service>(
            name: name, module: nil, place: SourcePlace(fileID: fileID, line: line),
            decorate: decorator)
        do {
            try insert([], decorators: [decorator])
        } catch {
            preconditionFailure("a decorator is no duplicate")
        }
    }

    private func insert(
        _ registration: Registration, overriding: Bool
    ) throws(RegistrationError) {
        if overriding {
            override(with: [registration])
        } else {
            try insert([registration])
        }
    }
}
