// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Sends and receives messages on a socket.
///
/// Several threads may receive: the system wakes one of them for what comes, and that one also does what the message
/// asks for, as long as another one waits. A thread that has asked something may receive for a moment itself, and then
/// none is woken. Sending never waits: what the socket does not take is kept, and a receiving thread sends it later. A
/// process that does not read harms its own calls alone.
///
/// Safe from any thread.
final class MessageChannel: Sendable {
    /// The work that a message asks for. The argument says whether it may keep the thread.
    typealias Work = (_ mayStay: Bool) -> Void

    private let socket: LocalSocket
    /// Can be read when the process at the other end has ended; -1 for one that is not watched.
    private let process: Int32
    private let prints: [PrintRelay]
    /// A flag that is noted when something is kept, or the channel is to end.
    private let wake: EventFlag
    private let events: EventQueue
    private let outgoing = Mutex(Outgoing())
    private let incoming = Mutex(Incoming())
    /// The memory that this end keeps because of the other one, and the most of it. In bytes.
    private let kept = Atomic<Int>(0)
    private let mostKept: Int
    /// Whether the channel has ended, and neither sends nor receives.
    private let isClosed = Atomic<Bool>(false)
    private let pauseLimit: Duration?
    /// The number of the last piece of messages that have not come as a whole; 0 for none.
    private let unfinished = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)
    private let isKeeping = Atomic<Bool>(false)

    private struct Outgoing {
        var kept = SendQueue()
        /// Whether a thread that has asked something receives. No other one is woken meanwhile.
        var isBorrowed = false
        /// The size of the answers that ``MessageChannel/keep(_:)`` has counted.
        var replies = 0
    }

    private struct Incoming {
        var buffer = MessageBuffer()
        /// Where the system puts what has come. Its pages are touched as they are needed.
        var piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = $0.count }
        /// The reason why some bytes were no message. The channel receives no others after them.
        var failure: MessageError?
    }

    private enum Reading {
        /// The socket was empty.
        case nothing
        /// The socket has given all that it had.
        case all
        /// The socket has filled the piece, and may have more.
        case some
        case ended
    }

    /// The largest amount that is kept for a process that does not read, which this one calls. In bytes.
    private static let mostUnsent = 256 << 20
    /// The most that is kept because of a process that is not trusted. In bytes.
    static let mostKept = 20 << 20
    /// The memory that each of what is kept takes besides its content. In bytes.
    static let cost = 512

    /// - Parameters:
    ///   - socket: A descriptor, which the channel closes.
    ///   - process: A descriptor that names the process at the other end, and is open as long as the channel; -1 for none.
    ///     Then the channel also ends with the process, although another one may have its end of the socket.
    ///   - prints: The relays of its output, which is handed on before what it sends after that.
    ///   - trust: Whether the other end is the host, which may let this one keep what it likes.
    ///   - pauseLimit: The longest pause of the other end within a message; `nil` for no limit.
    init(
        _ socket: Int32, of process: Int32 = -1, passing prints: [PrintRelay] = [],
        trusting trust: Bool = false, pauseLimit: Duration? = nil
    ) throws(SystemError) {
        self.socket = LocalSocket(descriptor: socket)
        self.process = process
        self.prints = prints
        mostKept = trust ? .max : Self.mostKept
        self.pauseLimit = pauseLimit
        wake = try EventFlag(for: .open, "a channel")
        events = try EventQueue("a channel")
        try events.watch(socket, for: .input, once: true)
        try events.watch(wake.descriptor, for: .input)
        if process >= 0 { try events.watch(process, for: .input) }
        for relay in prints { try events.watch(relay.descriptor, for: .input) }
        if trust { limitContents(to: Message.stateLimit) }
    }

    // MARK: Sending

    /// Sends a message. Returns `false` if it will not arrive: the channel is closed, or the other process has not read
    /// for too long, also what answers it: see ``keep(_:)``.
    @discardableResult
    func send(_ message: Message) -> Bool {
        outgoing.withLock { outgoing in
            guard !isClosed.load(ordering: .acquiring),
                outgoing.kept.size + message.size <= Self.mostUnsent,
                !message.isReply || keep(message.keptSize)
            else { return false }
            if message.isReply { outgoing.replies += message.keptSize }
            let isFirst = outgoing.kept.isEmpty
            outgoing.kept.add(message)
            guard isFirst else {
                settle(&outgoing)
                return true
            }
            write(&outgoing)
            if !outgoing.kept.isEmpty { watch(outgoing) }
            return true
        }
    }

    /// Sends as much as the socket takes.
    private func write(_ outgoing: inout Outgoing) {
        outgoing.kept.send { bytes in
            while true {
                let count = Glibc.send(
                    socket.descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                // Another error shows when the channel is read.
                if count >= 0 || errno != EINTR { return count }
            }
        }
        settle(&outgoing)
        isKeeping.store(!outgoing.kept.isEmpty, ordering: .relaxed)
    }

    /// Counts the answers off whose turn has come.
    private func settle(_ outgoing: inout Outgoing) {
        letGo(outgoing.replies - outgoing.kept.replies)
        outgoing.replies = outgoing.kept.replies
    }

    private func sendKept() {
        outgoing.withLock { outgoing in
            guard !outgoing.kept.isEmpty else { return }
            write(&outgoing)
            watch(outgoing)
        }
    }

    /// Lets threads be woken for what the channel waits for, also if it has happened already.
    private func watch(_ outgoing: Outgoing) {
        var awaited: EventQueue.Events = outgoing.isBorrowed ? [] : .input
        if !outgoing.kept.isEmpty { awaited.insert(.output) }
        events.change(socket.descriptor, to: awaited, once: true)
    }

    /// Lets the receiving thread look again until when it waits.
    func look() { wake.note() }

    var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

    /// Ends the channel: nothing is sent any more, and ``receive(until:look:_:)`` returns on each thread.
    func end() {
        isClosed.store(true, ordering: .releasing)
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
        wake.note()
    }

    /// Counts what this end keeps because of the other, besides messages that have begun: the arguments of calls under way,
    /// names of instances, and answers that the other end does not read. A call that would take more is refused, and an end that
    /// sends more all the same is closed.
    ///
    /// - Returns: `false` if that is too much; then nothing is counted.
    func keep(_ size: Int) -> Bool {
        if kept.add(size, ordering: .relaxed).newValue <= mostKept { return true }
        letGo(size)
        return false
    }

    func letGo(_ size: Int) { kept.subtract(size, ordering: .relaxed) }

    // MARK: Receiving

    /// Receives messages until the channel ends. Blocks the thread. Several threads may do so.
    ///
    /// - Parameters:
    ///   - deadline: The time at which `look` is to be called next; `nil` for none.
    ///   - look: A function that is called at about that time, and after messages.
    ///   - take: A function that takes a message, one after the other on all threads, and returns what it asks for, which is done
    ///     after that.
    /// - Throws: ``MessageError``, also that of `take`. Then nothing more is received.
    func receive(
        until deadline: () -> ContinuousClock.Instant?, look: () -> Void,
        _ take: (Message) throws(MessageError) -> Work?
    ) throws(MessageError) {
        // The other threads are to return, too: the flag stays noted.
        defer {
            isClosed.store(true, ordering: .releasing)
            wake.note()
        }
        var stall = Stall(limit: pauseLimit)
        while true {
            look()
            if isClosed.load(ordering: .acquiring) { return try throwFailure() }
            stall.note(unfinished.load(ordering: .relaxed))
            waiting.add(1, ordering: .sequentiallyConsistent)
            let ready = events.wait(until: [deadline(), stall.deadline].compactMap { $0 }.min())
            waiting.subtract(1, ordering: .sequentiallyConsistent)
            if ready.isEmpty {
                stall.note(unfinished.load(ordering: .relaxed))
                if stall.isOver() { throw .unfinished }
            }
            if ready.contains(wake.descriptor) {
                wake.take()
                try throwFailure()
            }
            if ready.contains(socket.descriptor, for: .output) { sendKept() }
            for relay in prints where ready.contains(relay.descriptor) { relay.pass() }
            // All that the process has sent is read first.
            let isOver = process >= 0 && ready.contains(process)
            guard isOver || ready.contains(socket.descriptor, for: .input) else { continue }
            let isLast = isOver || ready.isClosed(socket.descriptor)
            var reading: Reading
            repeat {
                let piece = try takePiece(take)
                reading = piece.reading
                // The others wait for a thread, but the first one has this one if another one receives.
                for work in piece.work.dropFirst() { work(false) }
                piece.work.first?(waiting.load(ordering: .sequentiallyConsistent) > 0)
                look()
                // An end that receives a lot sends in turn.
                if reading == .some, isKeeping.load(ordering: .relaxed) { sendKept() }
                // The queue tells of what comes from now on, but not again that the other end was closed before.
            } while reading == .some || isLast && reading == .all
            if reading == .ended || isOver { return }
        }
    }

    private func throwFailure() throws(MessageError) {
        if let failure = incoming.withLock({ $0.failure }) { throw failure }
    }

    /// Receives on the calling thread until something is true, in the place of the threads that wait. Does nothing if
    /// another thread does so already.
    ///
    /// - Parameters:
    ///   - moment: The time after which it gives up.
    ///   - take: As in ``receive(until:look:_:)``.
    func receive(
        for moment: Duration, until isTrue: () -> Bool,
        _ take: (Message) throws(MessageError) -> Work?
    ) {
        let deadline = ContinuousClock.now + moment
        let hasBorrowed = outgoing.withLock { outgoing in
            guard !outgoing.isBorrowed else { return false }
            outgoing.isBorrowed = true
            watch(outgoing)
            return true
        }
        guard hasBorrowed else { return }
        defer {
            outgoing.withLock { outgoing in
                outgoing.isBorrowed = false
                watch(outgoing)
            }
        }
        repeat {
            do throws(MessageError) {
                let piece = try takePiece(take)
                for work in piece.work { work(false) }
                // The threads that wait see the end of the channel, too.
                if piece.reading == .ended { return }
            } catch {
                return fail(error)
            }
            if isTrue() { return }
            sched_yield()
        } while ContinuousClock.now < deadline
    }

    /// Takes messages up to a size from now on.
    func limitContents(to limit: Int) { incoming.withLock { $0.buffer.limit = limit } }

    /// Lets the threads that receive end the channel with an error.
    func fail(_ error: MessageError) {
        incoming.withLock { $0.failure = error }
        wake.note()
    }

    /// Takes the messages of one piece of what has come.
    ///
    /// - Returns: Also what they ask for.
    private func takePiece(
        _ take: (Message) throws(MessageError) -> Work?
    ) throws(MessageError) -> (reading: Reading, work: [Work]) {
        try incoming.withLock { incoming throws(MessageError) in
            if let failure = incoming.failure { throw failure }
            var message = msghdr()
            let count = incoming.piece.withUnsafeMutableBytes { piece in
                var vector = iovec(iov_base: piece.baseAddress, iov_len: piece.count)
                return withUnsafeMutablePointer(to: &vector) { vector in
                    (message.msg_iov, message.msg_iovlen) = (vector, 1)
                    return recvmsg(socket.descriptor, &message, Int32(MSG_DONTWAIT))
                }
            }
            // There is no room for descriptors, and the system has closed them.
            if count > 0, message.msg_flags & Int32(MSG_CTRUNC) != 0 { throw .descriptors }
            if count < 0, errno == EINTR { return (.some, []) }
            if count < 0, errno == EAGAIN { return (.nothing, []) }
            guard count > 0 else { return (.ended, []) }
            for relay in prints { relay.pass() }
            incoming.buffer.append(incoming.piece[..<count])
            var work: [Work] = []
            while let message = try incoming.buffer.next() {
                if let next = try take(message) { work.append(next) }
            }
            let piece = unfinished.load(ordering: .relaxed)
            unfinished.store(incoming.buffer.isEmpty ? 0 : piece + 1, ordering: .relaxed)
            return (count == incoming.piece.count ? .some : .all, work)
        }
    }
}

/// Notices that the other end has begun a message and does not go on with it, so that its callers would wait for ever.
/// A value of one thread that receives.
struct Stall {
    private let limit: Duration?
    /// The last piece of a message that has begun; 0 for none.
    private var piece = 0
    /// Whether half of the time is over. Where both ends were stopped together, all of it seems to be over as soon as they go
    /// on, and the other one has to have its turn.
    private var isSuspected = false
    /// When to look again; `nil` if no message has begun.
    private(set) var deadline: ContinuousClock.Instant?

    init(limit: Duration?) { self.limit = limit }

    mutating func note(_ piece: Int) {
        guard let limit, piece != self.piece else { return }
        self.piece = piece
        isSuspected = false
        deadline = piece == 0 ? nil : .now + limit / 2
    }

    /// Whether the other end has paused for too long, if nothing has come until ``deadline``.
    mutating func isOver() -> Bool {
        guard let limit, let deadline, deadline <= .now else { return false }
        if isSuspected { return true }
        isSuspected = true
        self.deadline = .now + limit / 2
        return false
    }
}
