// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// A host judges a module that is on probation by its calls, and compares them with those of the module before. It sees
// the calls that callers let it measure.

/// Takes note of the calls of one implementation, for a host that judges it, or the one that follows it.
///
/// Safe from any thread.
public protocol CallMeter: AnyObject, Sendable {
    /// Notes a call that has ended.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time that it took.
    ///   - isError: Whether it threw an error.
    func note(nanoseconds: UInt64, isError: Bool)
}

/// A meter that has to know what runs as a part of the call.
package protocol RunningCall: CallMeter {
    /// Whether further calls of the same object would be as good as those that are measured, until the container changes.
    var isLasting: Bool { get }

    /// Runs the call.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Runs the call, on the actor of the caller.
    func runAsync<Result>(
        isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async rethrows -> Result
}

/// A service, and what takes note of its calls.
public struct MeasuredService<Service: Sendable>: Sendable {
    /// The service.
    public let service: Service
    /// Takes note of the calls; `nil` if nobody wants to know.
    public let meter: (any CallMeter)?
    /// The meter, if it has to know what runs as a part of the call.
    package let running: (any RunningCall)?

    /// Creates a service whose calls are measured.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - meter: Takes note of the calls; `nil` if nobody wants to know.
    public init(_ service: Service, meter: (any CallMeter)? = nil) {
        self.service = service
        self.meter = meter
        running = nil
    }

    /// Creates a service whose call is under way.
    package init(_ service: Service, running: any RunningCall) {
        self.service = service
        meter = running
        self.running = running
    }
}

extension MeasuredService {
    /// Calls the service, and notes the call.
    func call<Result>(_ body: (Service) throws -> Result) rethrows -> Result {
        guard let meter else { return try body(service) }
        let start = ContinuousClock.now
        do {
            let result =
                if let running {
                    try running.run { try body(service) }
                } else {
                    try body(service)
                }
            meter.note(since: start, isError: false)
            return result
        } catch {
            meter.note(since: start, isError: !(error is CancellationError))
            throw error
        }
    }
}

extension Resolver {
    /// Resolves a service and calls it. A host that follows the disk learns whether the call threw an error, and how
    /// long it took: it judges new implementations by that.
    ///
    /// ```swift
    /// let names = try resolver.call((any Names).self) { try $0.all() }
    /// ```
    ///
    /// Each call resolves anew, so that a canary gets its share of the calls. While the state of the module goes over to
    /// another object, the call waits before it resolves, so that nothing that it writes is lost.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - body: Calls the service.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as resolving does, or the error of `body`.
    public func call<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil, _ body: (Service) throws -> Result
    ) throws -> Result {
        try measured(service, name: name).call(body)
    }

    /// Resolves a service and calls it, also if its factory or the call is awaited. A host that follows the disk learns
    /// whether the call threw an error, and how long it took: it judges new implementations by that.
    ///
    /// ```swift
    /// let users = try await resolver.callAsync((any UserService).self) { try await $0.users() }
    /// ```
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - isolation: The actor of the caller, on which `body` begins.
    ///   - body: Calls the service.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as resolving does, or the error of `body`.
    public func callAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        let measured = try await measuredAsync(service, name: name)
        guard let meter = measured.meter else { return try await body(measured.service) }
        let start = ContinuousClock.now
        do {
            let service = measured.service
            let result =
                if let running = measured.running {
                    try await running.runAsync(isolation: isolation) { try await body(service) }
                } else {
                    try await body(service)
                }
            meter.note(since: start, isError: false)
            return result
        } catch {
            meter.note(since: start, isError: !(error is CancellationError))
            throw error
        }
    }

    /// The default measures nothing.
    public func measured<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        MeasuredService(try resolve(service, name: name))
    }

    /// The default measures nothing.
    public func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        MeasuredService(try await resolveAsync(service, name: name))
    }
}

extension CallMeter {
    /// Notes a call that ends now.
    fileprivate func note(since start: ContinuousClock.Instant, isError: Bool) {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let nanoseconds = UInt64(clamping: seconds) &* 1_000_000_000
        note(
            nanoseconds: nanoseconds &+ UInt64(clamping: attoseconds / 1_000_000_000),
            isError: isError)
    }
}
