// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Access to a service in the place where its container keeps it.
///
/// ``Resolver/lend(_:name:)`` returns a loan. The service stays in its place until the loan is returned, on the thread
/// that took it. Modules do not handle loans themselves: ``Resolver/borrow(_:name:_:)`` does.
@frozen
public struct Loan {
    /// Points to the service; `nil` if nothing is lent.
    @usableFromInline let service: UnsafeRawPointer?
    /// The number that returning the loan sets to 0; `nil` if something that lives longer keeps the
    /// service in its place. If the number behind it is not 0, the container has something to do then.
    @usableFromInline let section: UnsafePointer<Atomic<UInt64>>?

    /// Creates a loan of nothing.
    @_spi(Containers)
    public init() {
        service = nil
        section = nil
    }

    /// Creates a loan of a service.
    ///
    /// - Parameters:
    ///   - service: Points to an initialised value of the requested type. The container owns it.
    ///   - section: Two numbers, which the container owns. The service stays in its place until the first one is 0. If
    ///     the second one is not 0 then, the container is told that the loan was returned. Pass `nil` if the service
    ///     stays in its place for longer than the caller is in the function that asked.
    @_spi(Containers)
    public init(_ service: UnsafeRawPointer, until section: UnsafePointer<Atomic<UInt64>>?) {
        self.service = service
        self.section = section
    }

    /// Calls `body` with the service, and then returns the loan.
    ///
    /// - Parameter service: The pointer in ``service``, which is not `nil`.
    @inlinable @inline(__always)
    func lend<Service, Result>(
        _ service: UnsafeRawPointer, to body: (Service) throws -> Result
    ) rethrows -> Result {
        defer {
            if let section {
                section.pointee.store(0, ordering: .releasing)
                // The compiler must not load the second number before the store. See `eaves_reader`.
                atomicMemoryFence(ordering: .acquiringAndReleasing)
                if section[1].load(ordering: .relaxed) != 0 { LoanReturns.tell() }
            }
        }
        // SAFETY: a structure has the layout of its only property.
        return try service.assumingMemoryBound(to: Lent<Service>.self).pointee.lend(to: body)
    }
}

/// The hook by which the container learns that the calling thread has returned a loan.
///
/// The interface does not know the container's type. The container's module installs a function here.
@usableFromInline
package enum LoanReturns {
    private static let installed = Installed<@Sendable () -> Void>()

    /// Installs the function for the whole process. Only the first call has an effect.
    package static func install(_ tell: @escaping @Sendable () -> Void) {
        installed.install(tell)
    }

    @usableFromInline
    static func tell() {
        installed.function?()
    }
}

/// A function that the container's module installs once for the whole process, where the interface has
/// to call the container without knowing its type.
struct Installed<Function: Sendable>: ~Copyable, Sendable {
    private final class Box: Sendable {
        let function: Function

        init(_ function: Function) {
            self.function = function
        }
    }

    private let box = AtomicLazyReference<Box>()

    /// Only the first call has an effect.
    func install(_ function: Function) { _ = box.storeIfNil(Box(function)) }

    /// `nil` as long as none is installed.
    var function: Function? { box.load()?.function }
}

/// A service in the container's memory.
///
/// The structure is not copyable, so the compiler does not copy the service either: every copy would count a reference.
@frozen @usableFromInline
struct Lent<Service>: ~Copyable {
    @usableFromInline let service: Service

    @inlinable @inline(__always)
    func lend<Result>(to body: (Service) throws -> Result) rethrows -> Result {
        try body(service)
    }
}

extension Resolver {
    /// Calls `body` with a service.
    ///
    /// Use this for short calls of a service that its container keeps. The container lends the
    /// service without counting a reference, which is most of the cost of ``resolve(_:)``. A service
    /// that its scope does not keep is created, lent and released.
    ///
    /// ```swift
    /// let name = try resolver.borrow((any UserService).self) { $0.name(of: id) }
    /// ```
    ///
    /// A service that is replaced or unregistered meanwhile lives as long as `body` runs, and so does
    /// everything that is replaced after it. Each `resolve` inside `body` is a resolution of its own.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - body: Borrows the service, on the calling thread. It copies the service if it keeps it.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``ResolutionError`` as ``resolve(_:name:)`` does.
    @inlinable @inline(__always)
    public func borrow<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil, _ body: (Service) throws -> Result
    ) throws -> Result {
        let loan = lend(service, name: name)
        guard let lent = loan.service else { return try call(service, name: name, body) }
        return try loan.lend(lent, to: body)
    }

    /// The default lends nothing, so ``borrow(_:name:_:)`` resolves at every call.
    public func lend(_ service: Any.Type, name: String?) -> Loan { Loan() }
}
