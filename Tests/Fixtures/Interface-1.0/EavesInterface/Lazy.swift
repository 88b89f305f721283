// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A service that is resolved at its first use and then kept.
///
/// All threads get the same instance, however many use the value at once. If resolving fails, the
/// next use tries again. Until it has the service, a lazy value does not keep its container alive; if
/// the container is gone, it throws ``ResolutionError/Reason/containerGone``. Copies share the
/// instance. Safe from any thread.
public struct Lazy<Service: Sendable>: Sendable {
    private let source: @Sendable () throws -> Service

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
        do {
            return try source()
        } catch let error as ResolutionError {
            throw error
        } catch {
            preconditionFailure("the source throws nothing else")
        }
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
        let storage = LazyStorage<Service>()
        return Lazy { () throws(ResolutionError) in
            try storage.get { () throws(ResolutionError) in
                try resolver.resolve(service, name: name)
            }
        }
    }
}

/// Default storage for a lazy value: keeps the first instance and gives it to everyone.
private final class LazyStorage<Service: Sendable>: Sendable {
    private let instance = Mutex<Service?>(nil)

    /// Returns the stored instance, or calls `resolve` and stores its result.
    ///
    /// `resolve` runs without the lock, so it may use this very storage.
    func get(
        orResolve resolve: () throws(ResolutionError) -> Service
    ) throws(ResolutionError) -> Service {
        if let stored = instance.withLock({ $0 }) { return stored }
        let new = try resolve()
        return instance.withLock { instance in
            if let stored = instance { return stored }
            instance = new
            return new
        }
    }
}
