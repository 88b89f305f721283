// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a module registers its factories while it is being loaded.
///
/// What is registered becomes visible all at once when the module's registration is complete, and
/// not at all if it fails. Not `Sendable`: use it on the thread that called the module, and do not
/// keep it.
public protocol Registrar {
    /// What the manifest sets for this module.
    var settings: Settings { get }

    /// Registers a factory. Modules call the shorter form with defaults.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - place: Where in the source it is registered, for messages.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service)

    /// Registers a factory without runtime arguments. Modules call the shorter form with defaults.
    ///
    /// The same as with none of them, and cheaper to call. Of a name of its own, so that who has the
    /// form with a pack does not have to have this one.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - place: Where in the source it is registered, for messages.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    func registerWithoutArguments<Service: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver) throws -> Service)

    /// Registers a factory that is awaited. Modules call the shorter form with defaults.
    ///
    /// A registrar that knows nothing of it registers a factory that fails with
    /// ``ResolutionError/Reason/needsAwait``.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - place: Where in the source it is registered, for messages.
    ///   - factory: Makes the implementation. Called in any task, possibly in several at once.
    func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service)

    /// Registers a factory that runs on the main actor. Modules call the shorter form.
    ///
    /// A registrar that knows nothing of it registers a factory that fails with
    /// ``ResolutionError/Reason/needsMainActor``.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - place: Where in the source it is registered, for messages.
    ///   - factory: Makes the implementation, on the main actor.
    func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service)

    /// Registers a factory, what it needs, and how what it made is completed. Modules call the shorter
    /// forms.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - place: Where in the source it is registered, for messages.
    ///   - needs: What the factory asks for.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    ///   - completed: Gives what was made what it needs, on the same thread.
    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        needs: [ServiceNeed],
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?)

    /// Has a service answered by what answers another. Modules call the shorter form.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name it is registered under; `nil` is the unnamed one.
    ///   - target: The protocol that is asked for instead.
    ///   - targetName: The name that the target is registered under; `nil` is the unnamed one.
    ///   - place: Where in the source it is registered, for messages.
    ///   - arguments: The types of the runtime arguments, in order, which are handed on.
    ///   - convert: Makes one of the other.
    func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service)

    /// Puts something around what is registered for a service. Modules call the shorter form.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name it is registered under; `nil` is the unnamed one.
    ///   - place: Where in the source it is registered, for messages.
    ///   - decorator: Is given what was made, and gives what is to be had in its place.
    func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service)
}

extension Registrar {
    /// Registers a factory without runtime arguments as one with none of them.
    public func registerWithoutArguments<Service: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        registerWithArguments(service, name: name, scope: scope, place: place, factory: factory)
    }

    /// Where the arguments are a pack, only the requirement with a pack is meant.
    private func registerWithArguments<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        register(service, name: name, scope: scope, place: place, factory: factory)
    }

    /// Registers a factory for a service.
    ///
    /// ```swift
    /// registrar.register((any UserService).self, scope: .shared) { _ in UsersInMemory() }
    /// ```
    ///
    /// Since interface 1.1; with runtime arguments, since 1.0.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    public func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        registerWithoutArguments(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            factory: factory)
    }

    /// Registers a factory that takes runtime arguments.
    ///
    /// They stand behind the resolver, and are part of what is asked for:
    ///
    /// ```swift
    /// registrar.register((any Greeting).self) { (resolver, name: String) in Hello(name) }
    /// ```
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        register(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            factory: factory)
    }

    /// Registers a feature, which people launch by its name.
    ///
    /// - Parameters:
    ///   - name: The name, as declared in `module.json`.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the feature, once for each launch.
    public func registerFeature(
        _ name: String, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> any Feature
    ) {
        registerWithoutArguments(
            (any Feature).self, name: name, scope: .transient,
            place: SourcePlace(fileID: fileID, line: line), factory: factory)
    }
}
