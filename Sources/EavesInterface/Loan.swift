// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A service where its container keeps it, as ``Resolver/lend(_:name:)`` gives it.
///
/// It stays there until it is given back, on the thread that was given it. There is no need to
/// handle one yourself: ``Resolver/borrow(_:name:_:)`` does.
///
/// Since interface 1.1.
@frozen
public struct Loan {
    /// Points to the service; `nil` if nothing is lent.
    @usableFromInline let service: UnsafeRawPointer?
    /// Is set to 0 to give it back; `nil` if something that lasts longer keeps it there.
    @usableFromInline let section: UnsafePointer<Atomic<UInt64>>?

    /// Lends nothing.
    public init() {
        service = nil
        section = nil
    }

    /// Lends a service.
    ///
    /// - Parameters:
    ///   - service: Points to an initialised value of the type that was asked for. Owned by the
    ///     container.
    ///   - section: What the service stays there for until it is 0; `nil` if it stays there for
    ///     longer than the caller is in the function that asked. Owned by the container.
    public init(_ service: UnsafeRawPointer, until section: UnsafePointer<Atomic<UInt64>>?) {
        self.service = service
        self.section = section
    }

    /// Calls `body` with the service, and then gives it back.
    ///
    /// - Parameter service: As it stands in ``service``.
    @inlinable @inline(__always)
    func lend<Service, Result>(
        _ service: UnsafeRawPointer, to body: (Service) throws -> Result
    ) rethrows -> Result {
        defer { section?.pointee.store(0, ordering: .releasing) }
        // SAFETY: a structure has the layout of its only property.
        return try service.assumingMemoryBound(to: Lent<Service>.self).pointee.lend(to: body)
    }
}

/// A service in somebody else's memory.
///
/// Not to be copied, and so neither is what it holds: whoever copies a service counts a reference.
@frozen @usableFromInline
struct Lent<Service>: ~Copyable {
    @usableFromInline let service: Service

    @inlinable @inline(__always)
    func lend<Result>(to body: (Service) throws -> Result) rethrows -> Result {
        try body(service)
    }
}
