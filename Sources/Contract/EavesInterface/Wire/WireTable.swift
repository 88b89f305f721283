// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The services of one interface module whose calls can go to another process, and the errors that come back as they
/// were thrown.
///
/// `eaves build` generates the code that fills it, from the protocols of the interface. What another process can call
/// is what stands here.
///
/// Not Sendable: the thread that loads the generated code has it, until it is full.
@_spi(Generated)
public final class WireTable {
    package private(set) var services: [String: WireService] = [:]
    package private(set) var errors: [String: WireFailure] = [:]

    package init() {}

    /// Adds a service.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - requirements: The names of the requirements, such as `user(named:)`. Calls name them by their places.
    ///   - proxy: A function that makes an implementation which hands each call to an instance in another process.
    ///   - call: A function that calls a requirement of an implementation in this process.
    public func add<Service: Sendable>(
        _ service: Service.Type, requirements: [String],
        proxy: @escaping @Sendable (any RemoteInstance) -> Service,
        call: @escaping @Sendable (Service, Int, WireReader) async throws -> WireAnswer
    ) {
        let request = ServiceRequest(service)
        services[request.qualifiedService] = WireService(
            qualifiedName: request.qualifiedService, requirements: requirements,
            register: { registrar, options, instance in
                registrar.register(
                    service, options, factory: { _ in proxy(try instance()) }, completed: nil)
            },
            resolve: { resolver, name in
                let implementation = try await resolver.resolveAsync(service, name: name)
                return { requirement, arguments in
                    try await call(implementation, requirement, arguments)
                }
            })
    }

    /// Adds an error type. Its errors arrive as they were thrown; of others, the type's name and the description do.
    public func add<Failure: Error & Codable>(error: Failure.Type) {
        errors[_typeName(error, qualified: true)] = WireFailure(
            error, write: { try $1.write($0) }, read: { try $0.read(error) })
    }
}

/// The answer to a call: a value, nothing, or a stream.
@_spi(Generated)
public struct WireAnswer {
    package enum Content {
        case value(WireWriter)
        case stream(@Sendable () async throws -> WireWriter?)
    }

    package let content: Content

    package init(content: Content) { self.content = content }

    /// An answer without a value.
    public static var nothing: WireAnswer { WireAnswer(content: .value(WireWriter())) }

    /// An answer with a value.
    ///
    /// - Throws: The error of the value's own `encode(to:)`.
    public static func value(_ value: some Encodable) throws -> WireAnswer {
        let writer = WireWriter()
        try writer.write(value)
        return WireAnswer(content: .value(writer))
    }

    /// An answer with the value that was written.
    public static func value(_ writer: WireWriter) -> WireAnswer {
        WireAnswer(content: .value(writer))
    }

    /// An answer whose elements are read as the caller asks for them.
    public static func stream<Element: Encodable & Sendable>(
        _ stream: AsyncThrowingStream<Element, any Error>
    ) -> WireAnswer {
        let elements = Elements(stream)
        return WireAnswer(
            content: .stream {
                guard let element = try await elements.next() else { return nil }
                let writer = WireWriter()
                try writer.write(element)
                return writer
            })
    }

    // SAFETY: the peer asks for one element after the other.
    private final class Elements<Element: Sendable>: @unchecked Sendable {
        private var iterator: AsyncThrowingStream<Element, any Error>.AsyncIterator

        init(_ stream: AsyncThrowingStream<Element, any Error>) {
            iterator = stream.makeAsyncIterator()
        }

        func next() async throws -> Element? { try await iterator.next() }
    }
}

/// A function that calls a requirement of one instance: its place in the list, and its arguments.
package typealias WireTarget = @Sendable (Int, WireReader) async throws -> WireAnswer

package struct WireService: Sendable {
    /// With the Swift module of the interface.
    package let qualifiedName: String
    /// The names of the requirements, by their places.
    package let requirements: [String]
    /// Registers a factory that makes proxies of instances in another process.
    package let register:
        @Sendable (
            any Registrar, RegistrationOptions, @escaping @Sendable () throws -> any RemoteInstance
        )
            -> Void
    /// Resolves an instance in this process.
    package let resolve: @Sendable (any Resolver, String?) async throws -> WireTarget
}

/// An error type of a ``WireTable``.
package struct WireFailure: Sendable {
    package let write: @Sendable (any Error, WireWriter) throws -> Void
    package let read: @Sendable (WireReader) throws -> any Error

    package init<Failure: Error>(
        _ type: Failure.Type, write: @escaping @Sendable (Failure, WireWriter) throws -> Void,
        read: @escaping @Sendable (WireReader) throws -> Failure
    ) {
        self.write = { error, writer in
            guard let error = error as? Failure else { return }
            try write(error, writer)
        }
        self.read = read
    }
}

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
    /// - Returns: A function that returns the next element for the caller to read, and `nil` at the end. The other process
    ///   makes at most a few elements more than the caller has asked for.
    /// - Throws: As ``call(_:_:)``.
    func stream(_ requirement: Int, _ arguments: WireWriter) async throws
        -> @Sendable () async throws -> WireReader?
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
