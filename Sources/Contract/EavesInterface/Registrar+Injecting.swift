// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// An initialiser is a factory whose parameters say what it needs. These forms are disfavoured, so that a
// trailing closure which takes a resolver is a factory.
extension Registrar {
    /// Registers an initialiser. Its parameters are resolved, and are declared as needs, so that
    /// validation finds a missing one before anything is created.
    ///
    /// ```swift
    /// registrar.register((any LoginFactory).self, injecting: LoginScreens.init(users:events:))
    /// ```
    ///
    /// | parameter | gets | need |
    /// | --- | --- | --- |
    /// | `any UserService` | the unnamed implementation | ``ServiceNeed/service(_:name:arguments:)`` |
    /// | `(any UserService)?` | the same, or `nil` if nothing provides it | ``ServiceNeed/optional(_:name:arguments:)`` |
    /// | `Provider<any UserService>` | a provider | ``ServiceNeed/later(_:name:arguments:)`` |
    /// | `Lazy<any UserService>` | a lazy value | ``ServiceNeed/later(_:name:arguments:)`` |
    /// | `Provider<any UserService>?`, `Lazy<any UserService>?` | the same, never `nil` | ``ServiceNeed/later(_:name:arguments:)`` |
    ///
    /// Any other function or closure will do, too, and may throw. Swift leaves out the default values
    /// of parameters. For a service with a name, with runtime arguments, or with a shorter life on
    /// purpose, register a factory and list its needs.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: How long the container keeps the instance.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - create: The initialiser. Called on any thread, possibly on several at once.
    @_disfavoredOverload
    public func register<Service: Sendable, each Parameter: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        injecting create: @escaping @Sendable (repeat each Parameter) throws -> Service
    ) {
        let injections = (repeat Injection<each Parameter>.known)
        var options = RegistrationOptions(name, scope, [], fileID, line)
        for injection in repeat each injections { options.needs.append(injection.need) }
        register(
            service, options,
            factory: { resolver in try create(repeat try (each injections).resolve(resolver, nil))
            },
            completed: nil)
    }

    /// Registers the initialiser of a feature, which people launch by its name.
    ///
    /// ```swift
    /// registrar.registerFeature("login", injecting: LoginScreen.init)
    /// ```
    ///
    /// The parameters are resolved as those of ``register(_:name:scope:fileID:line:injecting:)``.
    ///
    /// - Parameters:
    ///   - name: The name, as declared in `module.json`.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - create: The initialiser, called once for each launch.
    @_disfavoredOverload
    public func registerFeature<each Parameter: Sendable>(
        _ name: String, fileID: StaticString = #fileID, line: UInt = #line,
        injecting create: @escaping @Sendable (repeat each Parameter) throws -> any Feature
    ) {
        register(
            (any Feature).self, name: name, fileID: fileID, line: line, injecting: create)
    }

    /// Registers an `async` initialiser. Its parameters are awaited, and are declared as needs.
    ///
    /// The parameters are resolved as those of ``register(_:name:scope:fileID:line:injecting:)``, and
    /// may be services that have to be awaited or that are created on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: How long the container keeps the instance.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - create: The initialiser. Called in any task, possibly in several at once.
    @_disfavoredOverload
    public func registerAsync<Service: Sendable, each Parameter: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        injecting create: @escaping @Sendable (repeat each Parameter) async throws -> Service
    ) {
        let injections = (repeat Injection<each Parameter>.known)
        var options = RegistrationOptions(name, scope, [], fileID, line)
        for injection in repeat each injections { options.needs.append(injection.need) }
        registerAsync(
            service, options,
            factory: { resolver in
                try await create(repeat try await (each injections).resolveAsync(resolver))
            }, completed: nil)
    }

    /// Registers an initialiser that runs on the main actor. Its parameters are resolved there, and are
    /// declared as needs.
    ///
    /// The parameters are resolved as those of ``register(_:name:scope:fileID:line:injecting:)``, and
    /// may be services that are created on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: How long the container keeps the instance.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - create: The initialiser, called on the main actor.
    @_disfavoredOverload
    public func registerOnMainActor<Service: Sendable, each Parameter: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        injecting create: @escaping @MainActor @Sendable (repeat each Parameter) throws -> Service
    ) {
        let injections = (repeat Injection<each Parameter>.known)
        var options = RegistrationOptions(name, scope, [], fileID, line)
        for injection in repeat each injections { options.needs.append(injection.need) }
        registerOnMainActor(
            service, options,
            factory: { resolver in
                try create(repeat try (each injections).resolveOnMainActor(resolver))
            }, completed: nil)
    }
}
