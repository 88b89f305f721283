// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Factories that are awaited, and factories that are bound to the main actor. Since interface 1.1.
extension Registrar {
    /// Registers a factory that is awaited, such as one that opens a connection.
    ///
    /// ```swift
    /// registrar.registerAsync((any UserService).self, scope: .shared) { resolver in
    ///     try await RemoteUsers.connect()
    /// }
    /// ```
    ///
    /// Whoever asks has to await it, too: with `resolveAsync`. Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the implementation. Called in any task, possibly in several at once.
    public func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        registerAsync(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            factory: factory)
    }

    /// Registers a factory that runs on the main actor, such as one that makes a window.
    ///
    /// ```swift
    /// registrar.registerOnMainActor((any HomeFactory).self, scope: .shared) { _ in HomeWindows() }
    /// ```
    ///
    /// It is asked for with `resolveAsync` from anywhere, and with `resolveOnMainActor` from the main
    /// actor. Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the implementation, on the main actor.
    public func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) {
        registerOnMainActor(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            factory: factory)
    }

    /// For registrars that know nothing of it: registers a factory that says so.
    ///
    /// Since interface 1.1.
    public func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        registerUnmade(service, name, scope, place, .needsAwait, repeat (each Argument).self)
    }

    /// For registrars that know nothing of it: registers a factory that says so.
    ///
    /// Since interface 1.1.
    public func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) {
        registerUnmade(service, name, scope, place, .needsMainActor, repeat (each Argument).self)
    }

    private func registerUnmade<Service: Sendable, each Argument>(
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
}
