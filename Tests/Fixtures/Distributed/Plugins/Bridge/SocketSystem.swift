// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Distributed
import FoundationEssentials
import Glibc
import Synchronization

/// The smallest actor system that reaches another process: one connection, one call at a time, JSON.
///
/// A real one, such as that of `swift-distributed-actors`, finds its peers and knows when they are gone.
final class SocketSystem: DistributedActorSystem {
    typealias ActorID = String
    typealias SerializationRequirement = any Codable
    typealias InvocationEncoder = CallEncoder
    typealias InvocationDecoder = CallDecoder
    typealias ResultHandler = AnswerHandler

    private let actors = Mutex<[String: any DistributedActor]>([:])
    /// The connection to the other process; -1 for a system that is only called.
    private let connection: Mutex<Int32>

    init() { connection = Mutex(-1) }

    init(connectedTo path: String) throws {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.address(path, { connect(made, $0, $1) }) == 0 else {
            throw SystemProblem("no connection to \(path)")
        }
        connection = Mutex(made)
    }

    static func listen(at path: String) throws -> Int32 {
        unlink(path)
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard address(path, { bind(made, $0, $1) }) == 0, Glibc.listen(made, 8) == 0 else {
            throw SystemProblem("cannot listen at \(path)")
        }
        return made
    }

    private static func address(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Actors

    func assignID<Act: DistributedActor>(_ type: Act.Type) -> String {
        actors.withLock { "\($0.count + 1)" }
    }

    func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == String {
        actors.withLock { $0[actor.id] = actor }
    }

    func resignID(_ id: String) { actors.withLock { _ = $0.removeValue(forKey: id) } }

    func resolve<Act: DistributedActor>(id: String, as type: Act.Type) throws -> Act?
    where Act.ID == String {
        actors.withLock { $0[id] as? Act }
    }

    func makeInvocationEncoder() -> CallEncoder { CallEncoder() }

    // MARK: Calling

    private struct Call: Codable {
        let actor: String
        let target: String
        let arguments: [Data]
    }

    struct Answer: Codable {
        var value: Data?
        var error: String?
    }

    func remoteCall<Act: DistributedActor, Failure: Error, Success: Codable>(
        on actor: Act, target: RemoteCallTarget, invocation: inout CallEncoder,
        throwing: Failure.Type, returning: Success.Type
    ) async throws -> Success where Act.ID == String {
        try JSONDecoder().decode(Success.self, from: try ask(actor.id, target, invocation))
    }

    func remoteCallVoid<Act: DistributedActor, Failure: Error>(
        on actor: Act, target: RemoteCallTarget, invocation: inout CallEncoder,
        throwing: Failure.Type
    ) async throws where Act.ID == String {
        _ = try ask(actor.id, target, invocation)
    }

    private func ask(
        _ actor: String, _ target: RemoteCallTarget, _ invocation: CallEncoder
    ) throws -> Data {
        let call = Call(
            actor: actor, target: target.identifier, arguments: invocation.arguments)
        let bytes = try JSONEncoder().encode(call)
        let answer = try connection.withLock { connection in
            try Self.send(bytes, to: connection)
            return try JSONDecoder().decode(Answer.self, from: Self.receive(from: connection))
        }
        if let error = answer.error { throw SystemProblem(error) }
        return answer.value ?? Data()
    }

    // MARK: Being called

    /// Answers the calls that come by a connection.
    func serve(_ connection: Int32) {
        Task.detached {
            while let bytes = try? Self.receive(from: connection) {
                let answer = await self.answer(to: bytes)
                guard let bytes = try? JSONEncoder().encode(answer),
                    (try? Self.send(bytes, to: connection)) != nil
                else { break }
            }
            close(connection)
        }
    }

    private func answer(to bytes: Data) async -> Answer {
        do {
            let call = try JSONDecoder().decode(Call.self, from: bytes)
            guard let actor = actors.withLock({ $0[call.actor] }) else {
                throw SystemProblem("there is no actor \(call.actor)")
            }
            let handler = AnswerHandler()
            var decoder = CallDecoder(arguments: call.arguments)
            try await executeDistributedTarget(
                on: actor, target: RemoteCallTarget(call.target), invocationDecoder: &decoder,
                handler: handler)
            return handler.answer.withLock { $0 }
        } catch {
            return Answer(error: "\(error)")
        }
    }

    private static func send(_ bytes: Data, to connection: Int32) throws {
        var rest = withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + Array(bytes)
        while !rest.isEmpty {
            let count = Glibc.send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw SystemProblem("the connection has ended") }
            rest.removeFirst(count)
        }
    }

    private static func receive(from connection: Int32) throws -> Data {
        func bytes(_ count: Int) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard recv(connection, &bytes, count, Int32(MSG_WAITALL)) == count else {
                throw SystemProblem("the connection has ended")
            }
            return bytes
        }
        let count = try bytes(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return Data(try bytes(Int(count)))
    }
}

struct SystemProblem: DistributedActorSystemError, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

struct CallEncoder: DistributedTargetInvocationEncoder {
    typealias SerializationRequirement = any Codable

    var arguments: [Data] = []

    mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        throw SystemProblem("no call has a parameter for types")
    }
    mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        arguments.append(try JSONEncoder().encode(argument.value))
    }
    mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
    mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
    mutating func doneRecording() throws {}
}

struct CallDecoder: DistributedTargetInvocationDecoder {
    typealias SerializationRequirement = any Codable

    var arguments: [Data]

    mutating func decodeGenericSubstitutions() -> [any Any.Type] { [] }
    mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard !arguments.isEmpty else { throw SystemProblem("an argument is missing") }
        return try JSONDecoder().decode(Argument.self, from: arguments.removeFirst())
    }
    mutating func decodeErrorType() -> (any Any.Type)? { nil }
    mutating func decodeReturnType() -> (any Any.Type)? { nil }
}

final class AnswerHandler: DistributedTargetInvocationResultHandler {
    typealias SerializationRequirement = any Codable

    let answer = Mutex(SocketSystem.Answer())

    func onReturn<Success: Codable>(value: Success) async throws {
        let bytes = try JSONEncoder().encode(value)
        answer.withLock { $0.value = bytes }
    }
    func onReturnVoid() {}
    func onThrow<Err: Error>(error: Err) { answer.withLock { $0.error = "\(error)" } }
}
