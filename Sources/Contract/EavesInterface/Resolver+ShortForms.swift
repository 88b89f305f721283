// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The forms that modules call most. `borrow`, `handle`, `provider` and `lazy` stand with their types, and
// so do the defaults of the requirements that few resolvers implement.
extension Resolver {
    /// The default returns the resolver itself.
    @_spi(Containers)
    public var weaklyHeld: any Resolver { self }

    /// Returns the unnamed implementation of a service.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, or if the factory fails.
    @inlinable @inline(__always) public func resolve<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: nil)
    }

    /// Returns the implementation of the service that the caller expects.
    ///
    /// ```swift
    /// let users: any UserService = try resolver.resolve()
    /// let audit: any EventHandler = try resolver.resolve(name: "audit")
    /// ```
    ///
    /// The expected type is the service: where an optional is expected, say the service with ``resolveIfProvided(_:)``.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError``, as ``resolve(_:name:)`` does.
    @inlinable @inline(__always) public func resolve<Service: Sendable>(
        name: String? = nil
    ) throws(ResolutionError) -> Service {
        try resolve(Service.self, name: name)
    }

    /// Returns the implementation of the service that the caller expects, also if its factory is
    /// awaited or runs on the main actor.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError``, as ``resolveAsync(_:name:arguments:)`` does.
    public func resolveAsync<Service: Sendable>(
        name: String? = nil
    ) async throws(ResolutionError) -> Service {
        try await resolveAsync(Service.self, name: name)
    }

    /// Returns the implementation of the service that the caller expects, on the main actor.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError``, as ``resolveOnMainActor(_:name:arguments:)`` does.
    @MainActor
    public func resolveOnMainActor<Service: Sendable>(
        name: String? = nil
    ) throws(ResolutionError) -> Service {
        try resolveOnMainActor(Service.self, name: name)
    }

    /// Whether something provides the unnamed implementation of a service. Creates nothing and loads no module.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    public func isProvided(_ service: Any.Type) -> Bool {
        isProvided(service, name: nil)
    }

    /// Returns the unnamed implementation of a service that is created with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, or if the factory fails.
    public func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: nil, arguments: repeat each arguments)
    }

    /// Returns the unnamed implementation of a service, or `nil` if nothing provides it.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError``, as ``resolveIfProvided(_:name:)`` does.
    public func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> Service? {
        try resolveIfProvided(service, name: nil)
    }

    /// Returns every implementation of a service that is created without runtime arguments, in the
    /// order of ``resolveAll(_:arguments:)``.
    ///
    /// - Parameter service: The protocol, such as `(any EventHandler).self`.
    /// - Throws: ``ResolutionError``, as ``resolveAll(_:arguments:)`` does.
    public func resolveAll<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> [Service] {
        func all<each Argument>(
            _ arguments: repeat each Argument
        ) throws(ResolutionError) -> [Service] {
            try resolveAll(service, arguments: repeat each arguments)
        }
        return try all()
    }

    /// Returns the unnamed implementation of a service, also if its factory is awaited or runs on the main actor.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError``, as ``resolveAsync(_:name:arguments:)`` does.
    public func resolveAsync<Service: Sendable>(
        _ service: Service.Type
    ) async throws(ResolutionError) -> Service {
        try await resolveAsync(service, name: nil)
    }

    /// Returns the unnamed implementation of a service that is created with runtime arguments, also
    /// if its factory is awaited or runs on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError``, as ``resolveAsync(_:name:arguments:)`` does.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try await resolveAsync(service, name: nil, arguments: repeat each arguments)
    }

    /// Returns the unnamed implementation of a service on the main actor.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError``, as ``resolveOnMainActor(_:name:arguments:)`` does.
    @MainActor
    public func resolveOnMainActor<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> Service {
        try resolveOnMainActor(service, name: nil)
    }

    /// Returns the unnamed implementation of a service that is created with runtime arguments, on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError``, as ``resolveOnMainActor(_:name:arguments:)`` does.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolveOnMainActor(service, name: nil, arguments: repeat each arguments)
    }
}
