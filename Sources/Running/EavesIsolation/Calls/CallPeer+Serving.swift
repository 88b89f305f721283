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

typealias ServedInstance = Task<(target: WireTarget, requirements: Int), any Error>

/// A call of the other end, or the stream that it has answered with.
final class ServedCall: Sendable {
    private let state = Mutex(State())

    // SAFETY: any thread may cancel a task, as long as there is one, and does nothing else with it.
    private struct RunningTask: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        /// The task of the call while it runs. It cannot end before it has been taken out of here, under the lock.
        var task: RunningTask?
        var isCancelled = false
        /// The number of elements of the stream that may be sent.
        var credit: UInt64 = 0
        /// The task that waits until it may send one.
        var waiting: CheckedContinuation<Void, Never>?
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
        let waiting = state.withLock { state in
            state.isCancelled = true
            state.task?.task.cancel()
            return state.waiting.take()
        }
        waiting?.resume()
    }

    func add(_ count: UInt32) {
        let waiting = state.withLock { state in
            state.credit += UInt64(count)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until a further element may be sent; returns `false` if none is wanted any more.
    func mayContinue() async -> Bool {
        while true {
            let answer: Bool? = state.withLock { state in
                if state.isCancelled { return false }
                guard state.credit > 0 else { return nil }
                state.credit -= 1
                return true
            }
            if let answer { return answer }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isCancelled || state.credit > 0 { return true }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }
}

extension CallPeer {
    /// The largest numbers of calls and instances that the other end has at once.
    private static let mostCalls = 4096
    private static let mostInstances = 65_536

    func serve(_ message: Message) throws(MessageError) -> MessageChannel.Work? {
        switch message.kind {
        case .open:
            guard let name = RemoteName(message.number, message.whole), name.number != 0 else {
                throw .unexpected(.open)
            }
            let isTaken = state.withLock { state in
                guard state.instances.count < Self.mostInstances,
                    state.instances[name.number] == nil
                else { return true }
                state.instances[name.number] = Task { [provider] in
                    try await provider.instance(of: name.service ?? "", named: name.name)
                }
                return false
            }
            if isTaken { throw .unexpected(.open) }
        case .close:
            let instance = state.withLock { $0.instances.removeValue(forKey: message.number) }
            instance?.cancel()
        case .call: return try beginServing(message)
        case .cancel: state.withLock { $0.served[message.number] }?.cancel()
        case .more:
            guard message.content.count == 4 else { throw .unexpected(.more) }
            let count = UInt32(message.content.littleEndian)
            state.withLock { $0.served[message.number] }?.add(count)
        default: throw .unexpected(message.kind)
        }
        return nil
    }

    private func beginServing(_ message: Message) throws(MessageError) -> MessageChannel.Work? {
        // The other end may cut a content anywhere.
        let isCut = message.content.count < 12
        let (content, tail) =
            isCut ? (message.whole, []) : (message.content, message.tail)
        guard content.count >= 12 else { throw .unexpected(.call) }
        let instance = content[..<8].littleEndian
        let requirement = Int(content[8..<12].littleEndian)
        let arguments = content[12...]
        let call = ServedCall()
        let (isTaken, served, isFull, isAlone) = state.withLock { state in
            let isTaken = state.served[message.number] != nil
            let isFull = state.served.count >= Self.mostCalls
            if !isTaken, !isFull { state.served[message.number] = call }
            return (isTaken, state.instances[instance], isFull, state.served.count == 1)
        }
        if isTaken { throw .unexpected(.call) }
        let number = message.number
        if isFull {
            channel.send(refusal("more than \(Self.mostCalls) calls are under way", number))
            return nil
        }
        // Where several calls are under way, threads that run tasks are awake, and this one is to receive.
        return { [self] mayStay in
            call.run(mayStay && isAlone) { [self] in
                let answer = await answer(
                    instance, served, requirement, arguments, tail, to: number, call)
                _ = state.withLock { $0.served.removeValue(forKey: number) }
                channel.send(answer)
            }
        }
    }

    /// Runs a call, and the stream that it results in.
    ///
    /// - Returns: The last message about it.
    private func answer(
        _ instance: UInt64, _ served: ServedInstance?, _ requirement: Int,
        _ arguments: ArraySlice<UInt8>, _ tail: [UInt8],
        to number: UInt64, _ call: ServedCall
    ) async -> Message {
        do {
            let reader = try WireReader(arguments, tail)
            let answer: WireAnswer
            if instance == 0 {
                answer = try await provider.call(requirement, reader)
            } else {
                guard let served else {
                    return refusal("there is no instance \(instance)", number)
                }
                let (target, requirements) = try await served.value
                guard (0..<requirements).contains(requirement) else {
                    return refusal("there is no requirement \(requirement)", number)
                }
                answer = try await target(requirement, reader)
            }
            switch answer.content {
            case .value(let writer): return try content(.answer, number, writer)
            case .stream(let next):
                channel.send(Message(.stream, number))
                while await call.mayContinue() {
                    guard let element = try await next() else { break }
                    channel.send(try content(.element, number, element))
                }
                return Message(.end, number)
            }
        } catch {
            return Message(.failure, number, failureContent(error))
        }
    }

    private func content(
        _ kind: Message.Kind, _ number: UInt64, _ writer: WireWriter
    ) throws -> Message {
        let (head, tail) = writer.parts()
        return try sendable(Message(kind, number, head, tail), "the result has")
    }

    private func refusal(_ reason: String, _ number: UInt64) -> Message {
        Message(.failure, number, failureContent(error(.misunderstood(reason))))
    }
}
