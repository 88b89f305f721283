// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The forms that modules call. They fill in the place in the source and the default values. Those that
// take an initialiser stand in `Registrar+Injecting.swift`.
extension Registrar {
    /// Registers a factory for a service.
    ///
    /// ```swift
    /// registrar.register((any UserService).self, scope: .shared) { _ in UsersInMemory() }
    /// ```
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for, so that mistakes are found before it runs.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation. Called on any thread, possibly on several at once. If it
    ///     asks for an object that has a `completed`, a call may come back within itself.
    public func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        register(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: nil)
    }

    /// Registers a factory with runtime arguments.
    ///
    /// The arguments follow the resolver, and their types are part of the request:
    ///
    /// ```swift
    /// registrar.register((any Greeting).self) { (resolver, name: String) in Hello(name) }
    /// ```
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for, so that mistakes are found before it runs.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation. Called on any thread, possibly on several at once. If it
    ///     asks for an object that has a `completed`, a call may come back within itself.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        register(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: nil)
    }

    /// Registers a feature, which people launch by its name.
    ///
    /// - Parameters:
    ///   - name: The name, as declared in `module.json`.
    ///   - needs: The services that the factory asks for, so that mistakes are found before it runs.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the feature, once for each launch.
    public func registerFeature(
        _ name: String, needs: [ServiceNeed] = [], fileID: StaticString = #fileID,
        line: UInt = #line, factory: @escaping @Sendable (any Resolver) throws -> any Feature
    ) {
        register(
            (any Feature).self, RegistrationOptions(name, .transient, needs, fileID, line),
            factory: factory, completed: nil)
    }

    /// Registers a factory for objects that need each other: an object is created first, and completed afterwards.
    ///
    /// ```swift
    /// registrar.register((any Parent).self, scope: .graph) { _ in
    ///     Family()
    /// } completed: { resolver, parent in
    ///     parent.child = try resolver.resolve((any Child).self)
    /// }
    /// ```
    ///
    /// In the scopes that keep an instance, a service that `completed` resolves may ask for the object itself, in its
    /// own factory too. It does not matter which of the two is asked for first: if a factory asks for an object that
    /// cannot be completed without the factory's own instance, the factory runs once more while that object is
    /// completed. The instance of that call is kept, and the one of the outer call is dropped. So a call of a factory,
    /// or of `completed`, may come back within itself: neither may hold a lock while it asks the resolver.
    ///
    /// Other threads do not see the object before it is complete. If `completed` throws, the container
    /// keeps none of these instances.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for. For services that `completed` asks for, use
    ///     ``ServiceNeed/later(_:name:arguments:)``.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the object. Called on any thread, possibly on several at once, and possibly
    ///     within a call of itself.
    ///   - completed: A function that hands the object the services that it needs, on the same thread.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: @escaping @Sendable (any Resolver, Service) throws -> Void
    ) {
        register(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: completed)
    }

    /// Answers requests for one service with the instance of another, which the other's scope keeps.
    ///
    /// ```swift
    /// registrar.register((any Store).self, scope: .shared) { _ in Files() }
    /// registrar.forward((any Reading).self, to: (any Store).self) { $0 }
    /// ```
    ///
    /// If the module itself registers the target, its own registration answers, whichever module the
    /// manifest binds the target to.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name that others ask for; `nil` for the unnamed implementation.
    ///   - target: The protocol that is resolved instead.
    ///   - targetName: The name that the target is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order. The target gets the arguments.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - convert: Converts the target's instance. It creates nothing.
    public func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, to target: Target.Type,
        targetName: String? = nil, arguments: repeat (each Argument).Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        forward(
            service, name: name, to: target, targetName: targetName,
            place: SourcePlace(fileID: fileID, line: line), arguments: repeat each arguments,
            convert: convert)
    }

    /// Wraps the instances that this module creates for a service.
    ///
    /// ```swift
    /// registrar.decorate((any UserService).self) { resolver, users in
    ///     CachedUsers(of: users)
    /// }
    /// ```
    ///
    /// An instance that its scope keeps is decorated once. Several decorators apply in the order of
    /// their registration, which may come before or after that of the service. A module cannot
    /// decorate the services of other modules; only the host can.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation, as
    ///     everywhere. Each name has decorators of its own.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - decorator: A function that takes the new instance, and returns the one that callers get instead.
    public func decorate<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        decorate(
            service, name: name, place: SourcePlace(fileID: fileID, line: line),
            decorator: decorator)
    }
}

// Factories that `resolve` cannot call.
extension Registrar {
    /// Registers a factory that is awaited, such as one that opens a connection.
    ///
    /// ```swift
    /// registrar.registerAsync((any UserService).self, scope: .shared) { resolver in
    ///     try await RemoteUsers.connect()
    /// }
    /// ```
    ///
    /// Callers await the service, too: they ask with `resolveAsync`.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for, so that mistakes are found before it runs.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation. Called in any task, possibly in several at once.
    public func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        registerAsync(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: nil)
    }

    /// Registers a factory that is awaited, for objects that need each other.
    ///
    /// In the scopes that keep an instance, a service that `completed` asks for may ask for the object itself, and gets
    /// it before it is complete. Other tasks that ask for the object wait until it is complete. If `completed` throws,
    /// the container does not keep the object; a service that has got it may stay. A factory that asks for an object
    /// which in turn needs the factory's own instance is a cycle: ask for the object with `completed` first.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for. For services that `completed` asks for, use
    ///     ``ServiceNeed/later(_:name:arguments:)``.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the object. Called in any task, possibly in several at once.
    ///   - completed: A function that hands the object the services that it needs, in the same task.
    public func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: @escaping @Sendable (any Resolver, Service) async throws -> Void
    ) {
        registerAsync(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: completed)
    }

    /// Registers a factory that runs on the main actor, such as one that creates a window.
    ///
    /// ```swift
    /// registrar.registerOnMainActor((any HomeFactory).self, scope: .shared) { _ in HomeWindows() }
    /// ```
    ///
    /// Callers ask with `resolveAsync` from anywhere, and with `resolveOnMainActor` on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for, so that mistakes are found before it runs.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation, on the main actor.
    public func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) {
        registerOnMainActor(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: nil)
    }

    /// Registers a factory that runs on the main actor, for objects that need each other.
    ///
    /// `completed` works as it does for factories that run anywhere, and a call of a factory may come back within itself.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for. For services that `completed` asks for, use
    ///     ``ServiceNeed/later(_:name:arguments:)``.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the object, on the main actor.
    ///   - completed: A function that hands the object the services that it needs, on the main actor.
    public func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: @escaping @MainActor @Sendable (any Resolver, Service) throws -> Void
    ) {
        registerOnMainActor(
            service, RegistrationOptions(name, scope, needs, fileID, line), factory: factory,
            completed: completed)
    }
}
