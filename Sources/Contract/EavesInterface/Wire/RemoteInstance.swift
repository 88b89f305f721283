// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An instance of a service in another process. Generated code calls it for a service's requirements.
///
/// Safe from any thread. When the last reference to it goes, the other process lets its instance go.
@_spi(Generated)
public protocol RemoteInstance: AnyObject, Sendable {
    /// Calls a requirement, and waits for its answer. Cancelling the task cancels the call in the other process.
    ///
    /// - Parameters:
    ///   - requirement: The place of the requirement in the list of ``WireTable``.
    ///   - arguments: The arguments, in order.
    /// - Returns: The result, for the caller to read.
    /// - Throws: The error of the call, ``RemoteCallError`` if it has no answer, or `CancellationError`.
    func call(_ requirement: Int, _ arguments: WireWriter) async throws -> WireReader

    /// Calls a requirement whose result is a stream, and returns when the stream has begun.
    ///
    /// - Parameters:
    ///   - requirement: As for ``call(_:_:)``.
    ///   - arguments: As for ``call(_:_:)``.
    /// - Returns: A function that returns the next element for the caller to read, and `nil` at the end. The other process makes no more
    ///   elements than are asked for, but a few.
    /// - Throws: As ``call(_:_:)``.
    func stream(
        _ requirement: Int, _ arguments: WireWriter
    ) async throws -> @Sendable () async throws -> WireReader?
}

@_spi(Generated)
extension RemoteInstance {
    /// Calls a requirement, and reads its result.
    public func call<Result: Decodable>(
        _ requirement: Int, _ arguments: WireWriter, returning result: Result.Type
    ) async throws -> Result {
        try await call(requirement, arguments).read(result)
    }

    /// Calls a requirement, and reads the elements of its result.
    public func stream<Element: Decodable & Sendable>(
        _ requirement: Int, _ arguments: WireWriter, of element: Element.Type
    ) async throws -> AsyncThrowingStream<Element, any Error> {
        let next = try await stream(requirement, arguments)
        return AsyncThrowingStream { try await next()?.read(element) }
    }
}
