// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// The connection between a process that serves and the one that takes over.
///
/// One thread at a time sends, and one receives.
final class HandoverChannel: Sendable {
    /// The reason why no message comes.
    enum Fault: Error {
        /// The other process is gone, or sends something else.
        case ended
        /// The time is up.
        case late
        /// This process has something else to do.
        case interrupted
    }

    private let descriptor: Int32
    /// A frame has no state that is larger.
    private let received = Mutex(FrameBuffer(limit: Int(UInt32.max)))

    /// Takes over a socket, and closes it when the channel goes.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // A process that reads nothing must not hold this one for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The process that has made the socket.
    var process: Int32 { LocalSocket.peer(of: descriptor)?.process ?? 0 }

    deinit { close(descriptor) }

    func send(_ message: HandoverMessage) throws(Fault) {
        do {
            try LocalSocket.send(Frame.bytes(of: message), to: descriptor)
        } catch {
            throw .ended
        }
    }

    /// Waits for a message.
    ///
    /// - Parameter alarm: A descriptor that interrupts the wait while it is readable.
    func receive(
        until deadline: ContinuousClock.Instant? = nil, unless alarm: Int32? = nil
    ) throws(Fault) -> HandoverMessage {
        while true {
            if let message = try next() { return message }
            try wait(until: deadline, unless: alarm)
            guard let more = try? LocalSocket.receive(from: descriptor), !more.bytes.isEmpty else {
                throw .ended
            }
            // The other process sends none.
            for descriptor in more.descriptors { close(descriptor) }
            received.withLock { $0.append(more.bytes) }
        }
    }

    private func next() throws(Fault) -> HandoverMessage? {
        do {
            return try received.withLock { received in
                try received.next().map { try Frame.value(HandoverMessage.self, in: $0) }
            }
        } catch {
            throw .ended
        }
    }

    private func wait(
        until deadline: ContinuousClock.Instant?, unless alarm: Int32?
    ) throws(Fault) {
        while true {
            var sources = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: alarm ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&sources, 2, PollTime.milliseconds(until: deadline))
            if sources[1].revents != 0 { throw .interrupted }
            if sources[0].revents != 0 { return }
            if let deadline, ContinuousClock.now >= deadline { throw .late }
        }
    }
}

/// A message between a process that serves and the one that takes over.
///
///     serving process                successor
///     prepare                   →
///                               ←    prepared     its modules are loaded, restored and started
///     rehearse                  →                 if there are sockets to take calls on
///                               ←    rehearsed    its feature has begun, and waits for its sockets
///     begin                     →                 the old feature has ended, and this is the state that it has left
///                               ←    ready        its feature takes calls
///     released                  →                 the old process is done
///
/// The end of the connection before that means that the other process is gone.
enum HandoverMessage: Hashable, Sendable, Codable {
    case prepare(Preparation)
    case prepared
    /// The feature may begin, and gets no sockets yet.
    case rehearse
    case rehearsed
    /// The feature may take calls, with this state.
    case begin(state: HandedState)
    case ready
    case released

    /// The things that a successor needs before it can take over.
    struct Preparation: Hashable, Sendable, Codable {
        var modules: [String]
        /// The files of all loaded modules, by their ids; `nil` from a program with an earlier Eaves.
        var files: [String: String]?
        /// The modules that services come from, by the keys of bindings; `nil` from a program with an earlier Eaves.
        var bindings: [String: String]?
        /// The state before the old feature has ended: what reads it can restore the last one, too.
        var state: HandedState
        var saysReady: Bool
    }
}
