// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Asks for a service anew each time: what the scope keeps is the same, what it does not is another.
///
/// Does not keep the container alive that it asks. If that is gone, it throws
/// ``ResolutionError/Reason/containerGone``. Safe from any thread.
///
/// Since interface 1.1.
public struct Provider<Service: Sendable>: Sendable {
    private let resolver: any Resolver
    private let name: String?

    /// - Parameters:
    ///   - resolver: Whom to ask. Kept as it is: hand over ``Resolver/weaklyHeld`` so as not to keep
    ///     what stands behind it.
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    public init(
        asking resolver: any Resolver, for service: Service.Type = Service.self, name: String? = nil
    ) {
        self.resolver = resolver
        self.name = name
    }

    /// The implementation of the service.
    ///
    /// - Throws: ``ResolutionError``, as ``Resolver/resolve(_:name:)`` does.
    public func get() throws(ResolutionError) -> Service {
        try resolver.resolve(Service.self, name: name)
    }

    /// The implementation of the service, as ``get()``.
    public func callAsFunction() throws(ResolutionError) -> Service {
        try get()
    }
}
