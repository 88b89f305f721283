// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) public import EavesInterface
import EavesRegistry

// A test asks for services as modules do, and can pass the container to code that takes a resolver. Parameters and errors
// are those of the functions of `Resolver`.
extension TestContainer: Resolver {
    /// The counter of the container's changes, for handles.
    @_spi(Containers)
    public var changes: ChangeCounter? { container.changes }

    /// Lends a service in the place where the container keeps it; `borrow` calls this.
    public func lend(_ service: Any.Type, name: String?) -> Loan {
        container.lend(service, name: name)
    }

    /// A resolver that gives the same answers and does not keep the container alive.
    @_spi(Containers)
    public var weaklyHeld: any Resolver { container.weaklyHeld }

    /// Returns a value that resolves a service at its first use.
    public func lazy<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) -> Lazy<Service> {
        container.lazy(service, name: name)
    }

    /// Returns every implementation of a service. Loads all modules that provide it.
    public func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        try container.resolveAll(service, arguments: repeat each arguments)
    }

    /// Returns the implementation of a service. Loads the module that provides it.
    public func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name)
    }

    /// Returns the implementation of a service, or `nil` if no module provides it.
    public func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? {
        try container.resolveIfProvided(service, name: name)
    }

    /// Whether a service has a provider. Loads no module.
    public func isProvided(_ service: Any.Type, name: String?) -> Bool {
        container.isProvided(service, name: name)
    }

    /// Returns the implementation of a service that is created with runtime arguments.
    public func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name, arguments: repeat each arguments)
    }

    /// Returns the implementation of a service, also if its factory is awaited or runs on the main actor.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try await container.resolveAsync(service, name: name, arguments: repeat each arguments)
    }

    /// Returns the implementation of a service on the main actor, also if its factory runs there.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try container.resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }
}
