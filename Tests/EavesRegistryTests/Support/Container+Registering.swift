// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry

// One call for each registration of the host's own, so that the tests stay short.
extension Container {
    /// Registers engines with the numbers of a counter.
    func registerEngine(
        name: String? = nil, _ scope: Scope = .transient, counting counter: Counter
    ) throws(RegistrationError) {
        try register((any Engine).self, name: name, scope: scope) { _ in
            CountedEngine(counter: counter)
        }
    }

    /// Registers cars that resolve their engine.
    func registerCar(_ scope: Scope = .transient) throws(RegistrationError) {
        try register((any Car).self, scope: scope) { resolver in
            SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
    }

    /// Registers cars that await their engine.
    func registerCarAsync(_ scope: Scope = .transient) throws(RegistrationError) {
        try registerAsync((any Car).self, scope: scope) { resolver in
            SimpleCar(engine: try await resolver.resolveAsync((any Engine).self))
        }
    }

    /// Registers as the host's own, also in the place of what is registered under the same keys.
    func register(
        overriding isOverriding: Bool, _ collect: (any Registrar) -> Void
    ) throws(RegistrationError) {
        guard isOverriding else { return try register(collect) }
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        collect(registrar)
        registrar.override(in: self)
    }

    func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding isOverriding: Bool, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        try register(overriding: isOverriding) {
            $0.register(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    /// Registers an engine that needs the car, and asks for both at once.
    ///
    /// - Returns: The number of the two threads that get an error.
    func failures(ofCrossing meeting: Meeting) throws -> Int {
        try register((any Engine).self, scope: .shared) { resolver in
            meeting.wait()
            _ = try resolver.resolve((any Car).self)
            return CountedEngine()
        }
        return Threads.failures {
            _ = try self.resolve((any Car).self)
        } and: {
            _ = try self.resolve((any Engine).self)
        }
    }

    func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, needs: [ServiceNeed], fileID: StaticString = #fileID,
        line: UInt = #line, factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)? = nil
    ) throws(RegistrationError) {
        try register(overriding: overriding) {
            $0.register(
                service,
                RegistrationOptions(
                    name: name, scope: scope, needs: needs,
                    place: SourcePlace(fileID: fileID, line: line)),
                factory: factory, completed: completed)
        }
    }

    func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) throws(RegistrationError) {
        try register(overriding: overriding) {
            $0.registerAsync(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) throws(RegistrationError) {
        try register {
            $0.registerOnMainActor(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, to target: Target.Type,
        targetName: String? = nil, arguments: repeat (each Argument).Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        convert: @escaping @Sendable (Target) throws -> Service
    ) throws(RegistrationError) {
        try register {
            $0.forward(
                service, name: name, to: target, targetName: targetName,
                arguments: repeat each arguments, fileID: fileID, line: line, convert: convert)
        }
    }

    func decorate<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        do throws(RegistrationError) {
            try register {
                $0.decorate(service, name: name, fileID: fileID, line: line, decorator: decorator)
            }
        } catch {
            preconditionFailure("a decorator is no duplicate: \(error)")
        }
    }
}
