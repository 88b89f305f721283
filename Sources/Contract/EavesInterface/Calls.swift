// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Calls that the container sees from their beginning to their end. A host judges a module that is on probation by
// them, and waits for them before the module's state goes over to another object.
extension Resolver {
    /// Resolves a service and calls it. A host that follows the disk learns whether the call threw an error, and how
    /// long it took: it judges new implementations by that.
    ///
    /// ```swift
    /// let names = try resolver.call((any Names).self) { try $0.all() }
    /// ```
    ///
    /// Each call resolves anew, so that a canary gets its share of the calls. While the state of the module goes over
    /// to another object, the call waits before it resolves, so that nothing that it writes is lost.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - body: A function that calls the service.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as resolving does, or the error of `body`.
    public func call<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil, _ body: (Service) throws -> Result
    ) throws -> Result {
        try performCall(service, name: name) { service, _ in try body(service) }
    }

    /// Resolves a service and calls it, also if its factory or the call is awaited. A host that follows the disk learns
    /// whether the call threw an error, and how long it took: it judges new implementations by that.
    ///
    /// ```swift
    /// let users = try await resolver.callAsync((any UserService).self) { try await $0.users() }
    /// ```
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - isolation: The actor of the caller, on which `body` begins.
    ///   - body: A function that calls the service.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as resolving does, or the error of `body`.
    public func callAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        try await performCallAsync(service, name: name, isolation: isolation, body)
    }

    /// The default resolves, and calls.
    @_spi(Containers)
    public func performCall<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        try body(resolve(service, name: name), true)
    }

    /// The default resolves, and calls.
    @_spi(Containers)
    public func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        try await body(resolveAsync(service, name: name))
    }
}
