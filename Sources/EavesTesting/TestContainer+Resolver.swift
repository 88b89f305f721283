// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import EavesRegistry

// Asking, as modules do: whatever takes a resolver can be given the container.
extension TestContainer: Resolver {
    /// Counts the changes to the container, for handles.
    public var changes: ChangeCounter? { container.changes }

    /// A service where the container keeps it; `borrow` asks for it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    public func lend(_ service: Any.Type, name: String?) -> Loan {
        container.lend(service, name: name)
    }

    /// A resolver that answers the same, and does not keep the container alive.
    public var weaklyHeld: any Resolver { container.weaklyHeld }

    /// A service that is asked for when it is first used.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    public func lazy<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) -> Lazy<Service> {
        container.lazy(service, name: name)
    }

    /// Every implementation of a service; loads all modules that provide it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any EventHandler).self`.
    ///   - arguments: Handed to the factories.
    /// - Throws: `ResolutionError` when one of them cannot be had.
    public func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        try container.resolveAll(service, arguments: repeat each arguments)
    }

    /// The implementation of a service; loads the module that provides it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Throws: `ResolutionError` when it cannot be had.
    public func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name)
    }

    /// The implementation of a service that is made with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory.
    /// - Throws: `ResolutionError` when it cannot be had.
    public func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name, arguments: repeat each arguments)
    }

    /// The implementation of a service, however it is made.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory.
    /// - Throws: `ResolutionError` when it cannot be had.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try await container.resolveAsync(service, name: name, arguments: repeat each arguments)
    }

    /// The implementation of a service, asked for on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory.
    /// - Throws: `ResolutionError` when it cannot be had.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try container.resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }
}
