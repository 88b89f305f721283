// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A service at hand: resolved once, and again only after something was registered, replaced or taken
/// back.
///
/// For code that calls a service so often that asking for it each time shows. A call through a
/// handle compares one number and counts no reference:
///
/// ```swift
/// var users = try resolver.handle((any UserService).self)
/// for id in ids {
///     try users.borrow { print($0.name(of: id)) }
/// }
/// ```
///
/// A handle has one owner, and can be sent to another; each thread, object or actor makes its own.
/// It keeps what it gave last, until it is used again after a change, or ends. It keeps its container.
///
/// Since interface 1.1.
@frozen
public struct Handle<Service: Sendable>: ~Copyable {
    @usableFromInline var service: Service
    @usableFromInline var seen: UInt
    @usableFromInline let counter: UnsafePointer<Atomic<UInt>>?
    @usableFromInline let source: HandleSource<Service>

    /// Resolves the service.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - resolver: Where to resolve it, now and after each change.
    /// - Throws: ``ResolutionError``, as resolving does.
    public init(
        _ service: Service.Type, name: String? = nil, in resolver: any Resolver
    ) throws(ResolutionError) {
        let source = HandleSource<Service>(name: name, resolver: resolver)
        self.source = source
        counter = source.changes.map { UnsafePointer($0.counter) }
        (self.service, seen) = try source.resolve()
    }

    /// Calls `body` with the service as it is now.
    ///
    /// A change during the call is seen by the next one.
    ///
    /// - Parameter body: Is lent the service; to keep it is to copy it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``ResolutionError`` if the service changed and cannot be had any
    ///   more. The next call tries again.
    @inlinable @inline(__always)
    public mutating func borrow<Result>(_ body: (Service) throws -> Result) throws -> Result {
        if counter?.pointee.load(ordering: .acquiring) != seen { try renew() }
        return try body(service)
    }

    @usableFromInline mutating func renew() throws {
        (service, seen) = try source.resolve()
    }
}

// SAFETY: what the pointer leads to is atomic, and belongs to what `source` keeps.
extension Handle: @unchecked Sendable {}
