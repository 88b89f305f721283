// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A service that is resolved at its first use and then kept.
///
/// All threads get the same instance, however many use the value at once. If resolving fails, the next use tries again.
/// Until it has the service, a lazy value does not keep its container alive; if the container is gone, it throws
/// ``ResolutionError/Reason/containerGone``. Copies share the instance. Safe from any thread.
public struct Lazy<Service: Sendable>: Sendable {
    private let source: @Sendable () throws(ResolutionError) -> Service

    /// Creates a lazy value. Modules call ``Resolver/lazy(_:name:)``.
    ///
    /// - Parameter source: Resolves the service at its first call, and returns the same instance at
    ///   each call after it has succeeded. Called on any thread, possibly on several at once.
    public init(_ source: @escaping @Sendable () throws(ResolutionError) -> Service) {
        self.source = source
    }

    /// Returns the service, and resolves it if this is the first use.
    ///
    /// - Throws: ``ResolutionError``, as ``Resolver/resolve(_:name:)`` does.
    public func get() throws(ResolutionError) -> Service {
        try source()
    }

    /// Returns the service, like ``get()``.
    ///
    /// - Throws: ``ResolutionError``, as ``Resolver/resolve(_:name:)`` does.
    public func callAsFunction() throws(ResolutionError) -> Service {
        try get()
    }
}

extension Resolver {
    /// Returns a lazy value for the unnamed implementation of a service. Resolves nothing yet.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    public func lazy<Service: Sendable>(_ service: Service.Type) -> Lazy<Service> {
        lazy(service, name: nil)
    }

    /// The default for resolvers without storage of their own for lazy values.
    ///
    /// If several threads use the value for the first time at once, each of them may ask the resolver,
    /// and all get the same instance.
    public func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        let resolver = weaklyHeld
        let kept = Mutex<Service?>(nil)
        return Lazy { () throws(ResolutionError) in
            if let instance = kept.withLock({ $0 }) { return instance }
            // Without the lock, so that the factory may use this very value.
            let new = try resolver.resolve(service, name: name)
            return kept.withLock { kept in
                let first = kept ?? new
                kept = first
                return first
            }
        }
    }
}
