// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import Synchronization

/// The instances of one end of a channel, which the other end calls.
protocol InstanceProvider: Sendable {
    /// An instance of a service, and how many requirements it has.
    ///
    /// - Throws: If the other end may not have it, or it cannot be created.
    func instance(
        of service: String, named name: String?
    ) async throws -> (target: WireTarget, requirements: Int)

    /// Calls the instance that both ends know without a name.
    func call(_ requirement: Int, _ arguments: WireReader) async throws -> WireAnswer
}

/// One end of a channel does not have, or does not give, what the other end asks for.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Optional {
    /// - Throws: ``Refusal`` with these words, if there is no value.
    func orRefuse(_ words: String) throws -> Wrapped {
        guard let self else { throw Refusal(words) }
        return self
    }
}

enum ServedInstance: Sendable {
    case service(Task<(target: WireTarget, requirements: Int), any Error>, size: Int)
    case stream(ServedStream)

    /// The memory that it counts for.
    var size: Int { if case .service(_, let size) = self { size } else { MessageChannel.cost } }
}

final class ServedCall: Sendable {
    /// The memory that it counts for.
    let size: Int
    private let state = Mutex(State())

    init(size: Int = 0) { self.size = size }

    // SAFETY: any thread may cancel a task, as long as there is one, and does nothing else with it.
    private struct RunningTask: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        /// The task of the call while it runs. It cannot end before it has been taken out of here, under the lock.
        var task: RunningTask?
        var isCancelled = false
    }

    /// Runs the call.
    ///
    /// - Parameter isHere: Whether it begins on this thread, and keeps it until it waits for something.
    func run(_ isHere: Bool, _ body: @escaping @Sendable () async -> Void) {
        let run: @Sendable () async -> Void = { [self] in
            // A thread that begins a body has no handle of its task until the body waits. One that never waits is not to
            // miss that it is cancelled.
            await withUnsafeCurrentTask { task in
                let task = task.map { RunningTask(task: $0) }
                state.withLock { state in
                    state.task = task
                    if state.isCancelled { task?.task.cancel() }
                }
                await body()
                state.withLock { $0.task = nil }
            }
        }
        if isHere { Task.immediate(operation: run) } else { Task(operation: run) }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.task?.task.cancel()
        }
    }
}

extension CallPeer {
    /// The largest number of calls that the other end has at once.
    private static let mostCalls = 4096

    private func serve(_ instance: ServedInstance, as number: UInt64) throws(MessageError) {
        guard channel.keep(instance.size) else { throw .tooMuchKept }
        let isTaken = state.withLock { state in
            guard state.instances[number] == nil else { return true }
            if state.ending == nil { state.instances[number] = instance }
            return false
        }
        if isTaken { throw .unexpected(.open) }
    }

    private func beginServing(_ message: Message) throws(MessageError) -> MessageChannel.Work? {
        // The other end may cut a content anywhere.
        let isCut = message.content.count < 12
        let (content, tail) = isCut ? (message.whole, []) : (message.content, message.tail)
        guard content.count >= 12 else { throw .unexpected(.call) }
        let instance = content[..<8].littleEndian
        let requirement = Int(content[8..<12].littleEndian)
        let arguments = content[12...]
        let call = ServedCall(size: message.keptSize)
        let (isTaken, served, isFull, isAlone) = state.withLock { state in
            let isTaken = state.served[message.number] != nil
            let isFull = isTaken || state.served.count >= Self.mostCalls || !channel.keep(call.size)
            if !isTaken, !isFull { state.served[message.number] = call }
            return (isTaken, state.instances[instance], isFull, state.served.count == 1)
        }
        if isTaken { throw .unexpected(.call) }
        let number = message.number
        if isFull {
            let words =
                "more than \(Self.mostCalls) calls are under way, or they take too much memory"
            guard channel.send(refusal(words, number)) || channel.hasEnded else {
                throw .tooMuchKept
            }
            return nil
        }
        // Where several calls are under way, threads that run tasks are awake, and this one is to receive.
        return { [self] mayStay in
            call.run(mayStay && isAlone) { [self] in
                let answer = await answer(
                    instance, served, requirement, arguments, tail, to: number, call)
                let ended = state.withLock { $0.served.removeValue(forKey: number) }
                channel.letGo(ended?.size ?? 0)
                if channel.send(answer) || channel.hasEnded { return }
                let words = "the answers before were not read, and take too much memory"
                if !channel.send(refusal(words, number)) { channel.fail(.tooMuchKept) }
            }
        }
    }

    /// Runs a call.
    ///
    /// - Returns: The message that answers it.
    private func answer(
        _ instance: UInt64, _ served: ServedInstance?, _ requirement: Int,
        _ arguments: ArraySlice<UInt8>, _ tail: [UInt8],
        to number: UInt64, _ call: ServedCall
    ) async -> Message {
        do {
            let reader = try WireReader(arguments, tail)
            let answer: WireAnswer
            switch served {
            case _ where instance == 0: answer = try await provider.call(requirement, reader)
            case nil: return refusal("there is no instance \(instance)", number)
            case .stream(let stream) where requirement == 0:
                return try await sendable(stream.answer(to: number), "the result has")
            case .stream: return refusal("there is no requirement \(requirement)", number)
            case .service(let task, _):
                let (target, requirements) = try await task.value
                guard (0..<requirements).contains(requirement) else {
                    return refusal("there is no requirement \(requirement)", number)
                }
                answer = try await target(requirement, reader)
            }
            switch answer.content {
            case .value(let writer):
                let (head, tail) = writer.parts()
                return try sendable(
                    Message(.answer, number, head, tail), of: instance, "the result has")
            case .stream(let next):
                let stream = ServedStream(next, of: self)
                try serve(.stream(stream), as: RemoteStream.instance(of: number))
                return Message(.stream, number)
            }
        } catch {
            return Message(.failure, number, failureContent(error))
        }
    }

    private func refusal(_ reason: String, _ number: UInt64) -> Message {
        Message(.failure, number, failureContent(error(.misunderstood(reason))))
    }
}

extension CallPeer {
    /// Receives messages until the channel ends. Blocks the thread. With two threads, calls of the other end run on them
    /// as long as one of the two can wait.
    ///
    /// - Parameter isUnresponsive: A function that is called if a late call has not ended for as long again.
    func receive(isUnresponsive: () -> Void = {}) throws(MessageError) {
        try channel.receive {
            guard timed.load(ordering: .relaxed) > 0 else { return nil }
            return state.withLock { $0.calls.values.compactMap(\.deadline).min() }
        } look: {
            if endLateCalls() { isUnresponsive() }
        } _: { message throws(MessageError) in
            try take(message)
        }
    }

    /// - Returns: The work that the message asks for; `nil` if it takes no time.
    func take(_ message: Message) throws(MessageError) -> MessageChannel.Work? {
        switch message.kind {
        case .answer, .failure, .stream, .elements, .end:
            let call = state.withLock { state in
                state.isUnresponsive = false
                return takeCall(message.number, from: &state)
            }
            if let call {
                call.complete(.success(message))
            } else if message.kind == .stream {
                // Late answers are dropped.
                channel.send(Message(.close, RemoteStream.instance(of: message.number)))
            }
        case .log:
            guard message.size <= Message.logLimit else { throw .unexpected(.log) }
            let level = Int32(exactly: message.number).flatMap(LogLevel.init(rawValue:))
            log(level ?? .info, String(decoding: message.whole, as: UTF8.self))
        case .open:
            guard message.size <= Message.nameLimit,
                let name = RemoteName(message.number, message.whole), name.number != 0
            else { throw .unexpected(.open) }
            let task = Task { [provider] in
                try await provider.instance(of: name.service ?? "", named: name.name)
            }
            try serve(.service(task, size: message.keptSize), as: name.number)
        case .close:
            let instance = state.withLock { $0.instances.removeValue(forKey: message.number) }
            if case .service(let task, _) = instance { task.cancel() }
            channel.letGo(instance?.size ?? 0)
        case .call: return try beginServing(message)
        case .cancel: state.withLock { $0.served[message.number] }?.cancel()
        }
        return nil
    }

    /// Ends the calls whose time is over.
    ///
    /// - Returns: Whether the other end ignored an earlier one, too.
    private func endLateCalls() -> Bool {
        guard timed.load(ordering: .relaxed) > 0 else { return false }
        let (late, isUnresponsive) = state.withLock { state in
            let now = ContinuousClock.now
            let late = state.calls.filter { $0.value.deadline.map { $0 <= now } ?? false }
            for number in late.keys { _ = takeCall(number, from: &state) }
            defer { if !late.isEmpty { state.isUnresponsive = true } }
            return (late, state.isUnresponsive && !late.isEmpty)
        }
        for (number, call) in late {
            channel.send(Message(.cancel, number))
            call.complete(.failure(error(.late(call.limit ?? .zero))))
        }
        return isUnresponsive
    }

    /// Whether a feature is being launched at the other end.
    var isLaunching: Bool { state.withLock { $0.calls.values.contains { $0.kind == .launch } } }

    /// Ends all calls, because no message will come any more.
    func end(_ reason: RemoteCallError.Reason, frame: String? = nil) {
        let error = RemoteCallError(module: module, reason: reason, frame: frame)
        let (calls, served) = state.withLock { state in
            state.ending = error
            defer {
                state.calls = [:]
                timed.store(0, ordering: .relaxed)
                state.served = [:]
                state.instances = [:]
            }
            return (state.calls, state.served)
        }
        for call in calls.values { call.complete(.failure(error)) }
        for call in served.values { call.cancel() }
    }
}

// An error goes to the other process as its type's name and its description, and, if the interface declares it as
// Codable, as a value.
extension CallPeer {
    private static let cancellation = _typeName(CancellationError.self, qualified: true)

    func failureContent(_ error: any Error) -> [UInt8] {
        let type = _typeName(Swift.type(of: error), qualified: true)
        func content(_ words: String, _ known: WireFailure?) throws -> [UInt8] {
            let writer = WireWriter()
            try writer.write(type)
            try writer.write(words)
            try writer.write(known != nil)
            try known?.write(error, writer)
            return try sendable(Message(.failure, 0, writer.bytes), "the error has").content
        }
        do {
            return try content("\(error)", WireTables.error(type))
        } catch {
            // Its own `encode(to:)` has failed, or it is too large: its words go alone.
            return (try? content(String("\(error)".prefix(Message.logLimit)), nil)) ?? []
        }
    }

    func failure(_ content: [UInt8]) -> any Error {
        do {
            let reader = try WireReader(content)
            let type = try reader.read(String.self)
            let description = try reader.read(String.self)
            if type == Self.cancellation { return CancellationError() }
            if try reader.read(Bool.self), let known = WireTables.error(type) {
                return try known.read(reader)
            }
            return error(.failed(type: type, description: description))
        } catch {
            return self.error(.misunderstood("\(error)"))
        }
    }
}
