// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// One end of a channel between a host and a worker: calls instances at the other end, and lets that call its own.
///
/// Safe from any thread.
final class CallPeer: Sendable {
    let module: String
    let channel: MessageChannel
    let provider: any InstanceProvider
    /// A function that takes the messages which the module at the other end logs.
    let log: @Sendable (LogLevel, String) -> Void
    let limit: Duration?
    let state = Mutex(State())
    private let lastCall = Atomic<UInt64>(0)
    /// The number of calls of the other end that have a deadline. The thread that receives looks at it for each message.
    let timed = Atomic<Int>(0)

    struct State {
        /// The calls of the other end that have no answer yet.
        var calls: [UInt64: PendingCall] = [:]
        /// The instances of the other end that were named to it.
        var opened: Set<UInt64> = []
        /// This end's instances that the other end uses.
        var instances: [UInt64: ServedInstance] = [:]
        /// This end's calls under way, for the other end.
        var served: [UInt64: ServedCall] = [:]
        var ending: RemoteCallError?
        /// When some call was cancelled for being late, and the other end has not said anything since.
        var isUnresponsive = false
        var patience = CallPatience()
    }

    enum Kind {
        case call
        /// Launches a feature, whose host tells people how it ends. That takes as long as it takes.
        case launch
        /// Asks for the next element of a stream, which may come at any time.
        case element
    }

    struct PendingCall {
        let limit: Duration?
        let deadline: ContinuousClock.Instant?
        let kind: Kind
        /// The function that gets the answer, on the thread that receives. It must not block.
        let complete: @Sendable (Result<Message, any Error>) -> Void
    }

    /// - Parameters:
    ///   - limit: The time that each call has; `nil` for no limit.
    ///   - log: A function that takes the messages which the module at the other end logs, on any thread. It must not block.
    init(
        of module: String, on channel: MessageChannel, providing provider: any InstanceProvider,
        limit: Duration? = nil,
        log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }
    ) {
        self.module = module
        self.channel = channel
        self.provider = provider
        self.limit = limit
        self.log = log
    }

    func error(_ reason: RemoteCallError.Reason) -> RemoteCallError {
        RemoteCallError(module: module, reason: reason)
    }

    // MARK: Calling

    /// Calls a requirement of an instance at the other end, and waits for the answer.
    func call(
        _ instance: RemoteName, _ requirement: Int, _ arguments: WireWriter, as kind: Kind = .call
    ) async throws -> WireReader {
        try reader(await message(instance, requirement, arguments, as: kind))
    }

    func message(
        _ instance: RemoteName, _ requirement: Int, _ arguments: WireWriter, as kind: Kind = .call
    ) async throws -> Message {
        try Task.checkCancellation()
        let request = try callMessage(instance, requirement, arguments)
        let number = request.number
        let cancel = { @Sendable [self] in
            channel.send(Message(.cancel, number))
            // The reader of a stream goes on at once, whatever becomes of the element.
            guard kind == .element else { return }
            state.withLock { takeCall(number, from: &$0) }?
                .complete(.failure(CancellationError()))
        }
        let message = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mayAwait = begin(
                    request, to: instance, within: kind == .call ? limit : nil, as: kind
                ) { continuation.resume(with: $0) }
                // The other end may have been told before it knew of the call.
                if Task.isCancelled { cancel() }
                // Until here, nothing has suspended the task: an answer that comes now wakes no thread.
                if mayAwait { awaitShortly(number) }
                if limit != nil, state.withLock({ $0.calls[number] != nil }) { channel.look() }
            }
        } onCancel: {
            cancel()
        }
        guard message.kind == .failure else { return message }
        throw failure(message.whole)
    }

    /// Calls a function of the other end itself. For threads that no task runs on, and for those that receive.
    ///
    /// - Parameters:
    ///   - function: The place of a ``WorkerFunction`` or ``HostFunction``.
    ///   - complete: The function that gets the answer, on the thread that receives. It must not block.
    func callOther(
        _ function: Int, _ arguments: WireWriter = WireWriter(), within limit: Duration? = nil,
        _ complete: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) {
        do {
            let request = try callMessage(.other, function, arguments)
            begin(request, to: .other, within: limit, complete)
            if limit != nil { channel.look() }
        } catch {
            complete(.failure(error))
        }
    }

    /// Calls a function of the other end itself, and blocks the thread until it answers. Not for the thread that receives.
    func callAndWait(_ function: Int, _ arguments: WireWriter) throws -> WireReader {
        let answer = Awaited<Result<Message, any Error>>()
        callOther(function, arguments) { answer.set($0) }
        // A large answer is read here, and other calls go on.
        return try reader(of: answer.wait())
    }

    func reader(of answer: Result<Message, any Error>) throws -> WireReader {
        let message = try answer.get()
        if message.kind == .failure { throw failure(message.whole) }
        return try reader(message)
    }

    private func callMessage(
        _ instance: RemoteName, _ requirement: Int, _ arguments: WireWriter
    ) throws -> Message {
        var content: [UInt8] = []
        withUnsafeBytes(of: instance.number.littleEndian) { content += $0 }
        withUnsafeBytes(of: UInt32(requirement).littleEndian) { content += $0 }
        let (head, tail) = arguments.parts(after: content)
        let number = lastCall.add(1, ordering: .relaxed).newValue
        let message = Message(.call, number, head, tail)
        return try sendable(message, of: instance.number, "the arguments have")
    }

    /// - Parameter instance: The instance that it is about: one end itself also has the states of modules.
    /// - Throws: If the message is too large.
    func sendable(
        _ message: Message, of instance: UInt64? = nil, _ words: String
    ) throws -> Message {
        let limit = instance == 0 ? Message.stateLimit : Message.contentLimit
        guard message.size <= limit else {
            throw error(.misunderstood("\(words) \(message.size) bytes: expected at most \(limit)"))
        }
        return message
    }

    /// Sends a call.
    ///
    /// - Returns: Whether its answer may come so soon that the thread is to wait for it.
    @discardableResult
    private func begin(
        _ request: Message, to instance: RemoteName, within limit: Duration?,
        as kind: Kind = .call,
        _ complete: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) -> Bool {
        let number = request.number
        let call = PendingCall(
            limit: limit, deadline: limit.map { .now + $0 }, kind: kind, complete: complete)
        let (ending, mayAwait) = state.withLock { state in
            if let ending = state.ending { return (ending as RemoteCallError?, false) }
            state.calls[number] = call
            if call.deadline != nil { timed.add(1, ordering: .relaxed) }
            // Under the lock: another call of the instance must not be sent before its name.
            if instance.isNamed, state.opened.insert(instance.number).inserted {
                channel.send(Message(.open, instance.number, instance.content))
            }
            return (nil, kind != .launch && state.patience.mayWait(isAlone: state.calls.count == 1))
        }
        if let ending {
            complete(.failure(ending))
            return false
        }
        // If the channel has ended, ``end(_:frame:)`` fails this call with the reason.
        if channel.send(request) || channel.hasEnded { return mayAwait }
        state.withLock { takeCall(number, from: &$0) }?.complete(
            .failure(error(.misunderstood("it has not read its messages for too long"))))
        return false
    }

    /// Receives until a call is answered, for a moment only, and as long as there is no other call.
    private func awaitShortly(_ number: UInt64) {
        channel.receive(for: CallPatience.moment) {
            state.withLock { $0.calls[number] == nil || $0.calls.count > 1 }
        } _: { message throws(MessageError) in
            try take(message)
        }
        state.withLock { $0.patience.note($0.calls[number] == nil) }
    }

    func takeCall(_ number: UInt64, from state: inout State) -> PendingCall? {
        let call = state.calls.removeValue(forKey: number)
        if call?.deadline != nil { timed.subtract(1, ordering: .relaxed) }
        return call
    }

    func forget(_ instance: UInt64) {
        let wasOpened = state.withLock { $0.opened.remove(instance) != nil }
        if wasOpened { channel.send(Message(.close, instance)) }
    }

    func reader(_ answer: Message) throws -> WireReader {
        guard answer.kind == .answer else {
            throw error(.misunderstood("the answer is a \(answer.kind), and no value"))
        }
        do {
            return try WireReader(answer.content[...], answer.tail)
        } catch {
            throw self.error(.misunderstood("\(error)"))
        }
    }
}

/// Decides whether a caller keeps its thread for a moment, because the answer may come so soon. It does as long as answers
/// do; after one that did not come, the next calls give their threads away at once: two of them, then four, at most 256. Where
/// several calls are under way, other tasks have use for the thread, and 64 calls give theirs away.
///
/// A value, which one lock guards.
struct CallPatience {
    /// The time for which a caller keeps its thread: about as long as it takes to wake two threads.
    static let moment = Duration.microseconds(50)

    /// The number of answers in a row that have not come.
    private var failures = 0
    /// The number of calls that will not wait.
    private var pause = 0
    private let hasProcessors: Bool

    private static let mostFailures = 8
    private static let pauseInCompany = 64
    private static let hasProcessors = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

    init(hasProcessors: Bool = Self.hasProcessors) { self.hasProcessors = hasProcessors }

    /// Whether the call that begins keeps its thread.
    mutating func mayWait(isAlone: Bool) -> Bool {
        guard hasProcessors else { return false }
        if !isAlone { pause = max(pause, Self.pauseInCompany) }
        guard pause > 0 else { return true }
        pause -= 1
        return false
    }

    mutating func note(_ isAnswered: Bool) {
        failures = isAnswered ? 0 : min(failures + 1, Self.mostFailures)
        pause = isAnswered ? 0 : 1 << failures
    }
}
