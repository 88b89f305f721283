// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import Synchronization

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
        case .answer, .failure, .stream, .end, .element: try takeReply(message)
        case .log:
            let level = Int32(exactly: message.number).flatMap(LogLevel.init(rawValue:))
            log(level ?? .info, String(decoding: message.whole, as: UTF8.self))
        case .open, .close, .call, .cancel, .more: return try serve(message)
        }
        return nil
    }

    private func takeReply(_ message: Message) throws(MessageError) {
        let (call, stream) = state.withLock { state in
            state.isUnresponsive = false
            if let call = takeCall(message.number, from: &state) {
                if message.kind == .stream {
                    state.streams[message.number] = RemoteStream(message.number, self)
                }
                return (call as PendingCall?, nil as RemoteStream?)
            }
            let isLast = message.kind != .element
            let stream =
                isLast
                ? state.streams.removeValue(forKey: message.number)
                : state.streams[message.number]
            return (nil, stream)
        }
        if let call {
            if message.kind == .element || message.kind == .end { throw .unexpected(message.kind) }
            call.complete(.success(message))
        } else if let stream {
            switch message.kind {
            case .element: try stream.add(message.whole)
            case .end: stream.end(.success(()))
            default: stream.end(.failure(failure(message.whole)))
            }
        }
        // Late answers and elements of abandoned streams are dropped.
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

    /// Ends all calls, because no message will come any more.
    ///
    /// - Returns: Whether a launch has ended with that.
    @discardableResult
    func end(_ reason: RemoteCallError.Reason, frame: String? = nil) -> Bool {
        let (calls, streams, served) = state.withLock { state in
            state.ending = reason
            defer {
                state.calls = [:]
                timed.store(0, ordering: .relaxed)
                state.streams = [:]
                state.served = [:]
                state.instances = [:]
            }
            return (state.calls, state.streams, state.served)
        }
        let error = RemoteCallError(module: module, reason: reason, frame: frame)
        for call in calls.values { call.complete(.failure(error)) }
        for stream in streams.values { stream.end(.failure(error)) }
        for call in served.values { call.cancel() }
        return calls.values.contains(where: \.isLaunch)
    }
}

// An error goes to the other process as its type's name and its description, and, if the interface declares it as
// Codable, as a value.
extension CallPeer {
    private static let cancellation = _typeName(CancellationError.self, qualified: true)

    func failureContent(_ error: any Error) -> [UInt8] {
        let type = _typeName(Swift.type(of: error), qualified: true)
        let known = WireTables.error(type)
        do {
            let writer = WireWriter()
            try writer.write(type)
            try writer.write("\(error)")
            try writer.write(known != nil)
            try known?.write(error, writer)
            return writer.bytes
        } catch {
            // The error's own `encode(to:)` has failed: its words go alone.
            let writer = WireWriter()
            for text in [type, "\(error)"] { try? writer.write(text) }
            try? writer.write(false)
            return writer.bytes
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
