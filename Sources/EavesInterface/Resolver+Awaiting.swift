// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Asking for what is awaited, or made on the main actor. Since interface 1.1.
extension Resolver {
    /// The unnamed implementation of a service, however it is made.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, the factory
    ///   fails, or the task was cancelled.
    public func resolveAsync<Service: Sendable>(
        _ service: Service.Type
    ) async throws(ResolutionError) -> Service {
        try await resolveAsync(service, name: nil)
    }

    /// The unnamed implementation of a service that is made with runtime arguments, however it is
    /// made.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, the factory
    ///   fails, or the task was cancelled.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try await resolveAsync(service, name: nil, arguments: repeat each arguments)
    }

    /// The unnamed implementation of a service, asked for on the main actor.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails or has to be awaited.
    @MainActor
    public func resolveOnMainActor<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> Service {
        try resolveOnMainActor(service, name: nil)
    }

    /// The unnamed implementation of a service that is made with runtime arguments, asked for on the
    /// main actor.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails or has to be awaited.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolveOnMainActor(service, name: nil, arguments: repeat each arguments)
    }

    /// For resolvers that know nothing of it: as `resolve`.
    ///
    /// Since interface 1.1.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }

    /// For resolvers that know nothing of it: as `resolve`.
    ///
    /// Since interface 1.1.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }
}
