// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A service that is resolved once, and again only after the container has changed.
///
/// Use a handle where asking for the service at each call costs too much. A call through a handle
/// compares one number and counts no reference:
///
/// ```swift
/// var users = try resolver.handle((any UserService).self)
/// for id in ids {
///     try users.borrow { print($0.name(of: id)) }
/// }
/// ```
///
/// The container changes when something is registered, replaced, reset or unregistered. While modules share the calls
/// of any service, as a canary does, each call through a handle resolves; and so does each call of a module with a life
/// cycle, as with ``Resolver/call(_:name:_:)``, so that a swap can wait for it. A handle has one owner, and can be sent
/// to another one; each thread, object or actor creates its own. It keeps the service that it resolved last until it is
/// used again after a change, or until it ends. It keeps its container alive.
@frozen
public struct Handle<Service: Sendable>: ~Copyable {
    @usableFromInline var service: Service
    @usableFromInline var seen: UInt
    @usableFromInline let counter: UnsafePointer<Atomic<UInt>>?
    @usableFromInline let source: HandleSource<Service>

    /// Resolves the service. ``Resolver/handle(_:name:)`` is the shorter form.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - resolver: The resolver to ask, now and after each change.
    /// - Throws: ``ResolutionError``, as resolving does.
    public init(
        _ service: Service.Type, name: String? = nil, in resolver: any Resolver
    ) throws(ResolutionError) {
        let source = HandleSource<Service>(name: name, resolver: resolver)
        self.source = source
        counter = source.changes.map { UnsafePointer($0.counter) }
        do {
            (self.service, seen) = try source.call { ($0, $1) }
        } catch {
            throw error as? ResolutionError
                ?? ResolutionError(
                    .factoryFailed(error), wanted: ServiceRequest(service, name: name))
        }
    }

    /// Calls `body` with the current service.
    ///
    /// If the container changes during the call, the next call gets the new service.
    ///
    /// - Parameter body: Borrows the service. It copies the service if it keeps it.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``ResolutionError`` if the container changed and cannot
    ///   provide the service any more. The next call tries again.
    @inlinable @inline(__always)
    public mutating func borrow<Result>(_ body: (Service) throws -> Result) throws -> Result {
        if counter?.pointee.load(ordering: .acquiring) != seen {
            return try source.borrowAnew(&service, &seen, body)
        }
        return try body(service)
    }

    /// Resolves the service, and calls `body` with it, for modules that were built for version 1.0.
    @usableFromInline
    mutating func borrowAnew<Result>(_ body: (Service) throws -> Result) throws -> Result {
        try source.borrowAnew(&service, &seen, body)
    }
}

// SAFETY: `counter` points to an atomic of the `ChangeCounter` that `source` keeps alive.
extension Handle: @unchecked Sendable {}

extension Resolver {
    /// Returns a handle for a service, for code that calls the service very often.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError``, as ``resolve(_:name:)`` does.
    public func handle<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) throws(ResolutionError) -> Handle<Service> {
        try Handle(service, name: name, in: self)
    }

    /// The default counts no changes, so a ``Handle`` resolves at every call.
    @_spi(Containers)
    public var changes: ChangeCounter? { nil }
}

/// Resolves the service of one handle.
@usableFromInline
final class HandleSource<Service: Sendable>: Sendable {
    let changes: ChangeCounter?
    private let name: String?
    private let resolver: any Resolver

    init(name: String?, resolver: any Resolver) {
        changes = resolver.changes
        self.name = name
        self.resolver = resolver
    }

    /// Resolves the service, and calls `body` with it.
    ///
    /// It gets the properties of the handle one by one: where they stand is known to its caller, while a function that gets
    /// the handle looks up the handle's type each time, which takes 330 instructions.
    ///
    /// - Parameters:
    ///   - service: The service that the handle has.
    ///   - seen: The count of changes that it reflects.
    @usableFromInline
    func borrowAnew<Result>(
        _ service: inout Service, _ seen: inout UInt, _ body: (Service) throws -> Result
    ) throws -> Result {
        try call { current, count in
            (service, seen) = (current, count)
            return try body(current)
        }
    }

    /// Resolves the service, and calls it.
    ///
    /// - Parameter body: A function that gets the service, and a count of changes that it already reflects.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as resolving does, or the error of `body`.
    func call<Result>(_ body: (Service, UInt) throws -> Result) throws -> Result {
        // Read the count before resolving: a change in between then makes the handle resolve again. No count is 0,
        // so that the handle resolves at each call while modules share calls, and where a swap waits for each call; and
        // it keeps nothing that was exchanged, and that only a call still gets.
        let seen = changes?.seen ?? 0
        return try resolver.performCall(Service.self, name: name) { service, isLasting in
            try body(service, isLasting ? seen : 0)
        }
    }
}

/// Counts the changes of a container, so that a ``Handle`` knows when to resolve again.
///
/// Safe from any thread.
@_spi(Containers)
public final class ChangeCounter {
    /// Valid as long as this object.
    @usableFromInline let counter: UnsafeMutablePointer<Atomic<UInt>>
    private let isShared = Atomic(false)

    /// Creates a counter.
    public init() {
        counter = .allocate(capacity: 1)
        counter.initialize(to: Atomic(1))
    }

    deinit {
        counter.deinitialize(count: 1)
        counter.deallocate()
    }

    /// Counts a change. Containers call this after the change is visible.
    public func advance() {
        counter.pointee.add(1, ordering: .releasing)
    }

    /// Sets whether modules share the calls of a service, so that each call has to resolve anew. Containers set it
    /// before such services are visible, and count a change afterwards.
    ///
    /// - Parameter isShared: Whether there are such services.
    public func setShared(_ isShared: Bool) {
        self.isShared.store(isShared, ordering: .sequentiallyConsistent)
    }

    /// The count that a service reflects which is resolved after this; 0 if the next call has to resolve anew.
    fileprivate var seen: UInt {
        let count = counter.pointee.load(ordering: .acquiring)
        return isShared.load(ordering: .sequentiallyConsistent) ? 0 : count
    }
}

// SAFETY: the pointer is constant, and the number that it points to is atomic.
extension ChangeCounter: @unchecked Sendable {}
