// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Asks for a service once, when it is first used, and keeps what it got.
///
/// However many threads use it at once, all get the same. If asking fails, the next use asks again.
/// Until then it does not keep the container alive; if that is gone, it throws
/// ``ResolutionError/Reason/containerGone``. Copies share what they got. Safe from any thread.
///
/// Since interface 1.1.
public struct Lazy<Service: Sendable>: Sendable {
    private let source: @Sendable () throws -> Service

    /// - Parameter source: Asks when first called, and gives the same each time after it succeeded.
    ///   Called on any thread, possibly on several at once.
    public init(_ source: @escaping @Sendable () throws(ResolutionError) -> Service) {
        self.source = source
    }

    /// The implementation of the service.
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

    /// The implementation of the service, as ``get()``.
    public func callAsFunction() throws(ResolutionError) -> Service {
        try get()
    }
}
