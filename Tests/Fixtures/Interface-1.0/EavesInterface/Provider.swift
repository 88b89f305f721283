// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A source of a service that asks its resolver at every call.
///
/// Each call gives the instance that the service's scope keeps, or a new one if the scope keeps none.
/// A provider does not keep its container alive. If the container is gone, it throws
/// ``ResolutionError/Reason/containerGone``. Safe from any thread.
public struct Provider<Service: Sendable>: Sendable {
    private let resolver: any Resolver
    private let name: String?

    /// Creates a provider. ``Resolver/provider(_:name:)`` is the shorter form.
    ///
    /// - Parameters:
    ///   - resolver: The resolver to ask. The provider keeps it, and with it the container; the shorter form keeps
    ///     neither.
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    public init(
        asking resolver: any Resolver, for service: Service.Type = Service.self, name: String? = nil
    ) {
        self.resolver = resolver
        self.name = name
    }

    /// Resolves the service.
    ///
    /// - Throws: ``ResolutionError``, as ``Resolver/resolve(_:name:)`` does.
    public func get() throws(ResolutionError) -> Service {
        try resolver.resolve(Service.self, name: name)
    }

    /// Resolves the service, like ``get()``.
    ///
    /// - Throws: ``ResolutionError``, as ``Resolver/resolve(_:name:)`` does.
    public func callAsFunction() throws(ResolutionError) -> Service {
        try get()
    }
}

extension Resolver {
    /// Returns a provider of a service. Resolves nothing yet.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    public func provider<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) -> Provider<Service> {
        Provider(asking: weaklyHeld, name: name)
    }
}
