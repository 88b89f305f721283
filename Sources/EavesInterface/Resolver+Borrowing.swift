// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Resolver {
    /// Calls `body` with the implementation of a service.
    ///
    /// For calls that are over soon, where a container keeps the service: that is lent, and nothing
    /// is counted, which is most of what ``resolve(_:)`` takes. What is made anew each time is made,
    /// lent and released.
    ///
    /// ```swift
    /// let name = try resolver.borrow((any UserService).self) { $0.name(of: id) }
    /// ```
    ///
    /// What is replaced or taken back meanwhile stays for as long as `body` runs, and so does all
    /// that was replaced since then. Each `resolve` in `body` is a resolution of its own.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - body: Is lent the service, on the calling thread; to keep it is to copy it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``ResolutionError``, as ``resolve(_:name:)``.
    @inlinable @inline(__always)
    public func borrow<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil, _ body: (Service) throws -> Result
    ) throws -> Result {
        let loan = lend(service, name: name)
        guard let lent = loan.service else { return try body(resolve(service, name: name)) }
        return try loan.lend(lent, to: body)
    }

    /// Nothing: ``borrow(_:name:_:)`` resolves each time.
    public func lend(_ service: Any.Type, name: String?) -> Loan { Loan() }
}
