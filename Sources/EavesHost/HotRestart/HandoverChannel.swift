// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization

/// The connection between a process that serves and the one that takes over.
///
/// One thread at a time sends, and one receives.
final class HandoverChannel: Sendable {
    /// Why no message comes.
    enum Fault: Error {
        /// The other process is gone, or sends something else.
        case ended
        /// The time is up.
        case late
        /// This process has something else to do.
        case interrupted
    }

    let descriptor: Int32
    private let received = Mutex(Received())
    /// The names of the descriptors that the other process has.
    private let sent = Mutex<Set<String>>([])

    private struct Received {
        var bytes: [UInt8] = []
        var descriptors: [Int32] = []
    }

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

    deinit {
        close(descriptor)
        for descriptor in received.withLock({ $0.descriptors }) { close(descriptor) }
    }

    func send(_ message: HandoverMessage, _ descriptors: [Int32] = []) throws(Fault) {
        do throws(SystemError) {
            try LocalSocket.send(message.bytes, descriptors, to: descriptor)
        } catch {
            throw .ended
        }
    }

    /// Sends copies of descriptors with their names, except those that this channel has sent before: the other
    /// process has them.
    func send(_ kept: [KeptDescriptors.Named]) throws(Fault) {
        let new = sent.withLock { sent in kept.filter { !sent.contains($0.name) } }
        let all = new.flatMap { named in named.descriptors.map { (named.name, $0) } }
        for start in stride(from: 0, to: all.count, by: LocalSocket.mostDescriptors) {
            let part = all[start..<min(start + LocalSocket.mostDescriptors, all.count)]
            try send(.descriptors(names: part.map(\.0)), part.map(\.1))
        }
        sent.withLock { $0.formUnion(new.map(\.name)) }
    }

    /// Waits for a message. Descriptors that come before it are given to `adopt`.
    ///
    /// - Parameters:
    ///   - deadline: When the time is up; `nil` for never.
    ///   - alarm: Interrupts the wait while it is readable.
    func receive(
        until deadline: ContinuousClock.Instant? = nil, unless alarm: Int32? = nil,
        adopting adopt: (Int32, String) -> Void = { descriptor, _ in close(descriptor) }
    ) throws(Fault) -> HandoverMessage {
        while true {
            if let message = try next() {
                guard case .descriptors(let names) = message else { return message }
                let adopted = try received.withLock { received throws(Fault) in
                    guard received.descriptors.count >= names.count else { throw .ended }
                    defer { received.descriptors.removeFirst(names.count) }
                    return Array(received.descriptors.prefix(names.count))
                }
                for (descriptor, name) in zip(adopted, names) { adopt(descriptor, name) }
                continue
            }
            try wait(until: deadline, unless: alarm)
            guard let more = try? LocalSocket.receive(from: descriptor), !more.bytes.isEmpty else {
                throw .ended
            }
            received.withLock { received in
                received.bytes += more.bytes
                received.descriptors += more.descriptors
            }
        }
    }

    /// The next message, if it has come whole.
    private func next() throws(Fault) -> HandoverMessage? {
        try received.withLock { received throws(Fault) in
            let headSize = HandoverMessage.headSize
            guard received.bytes.count >= headSize else { return nil }
            guard let head = HandoverMessage.head(Array(received.bytes.prefix(headSize))) else {
                throw .ended
            }
            guard received.bytes.count - headSize >= head.size else { return nil }
            let body = Array(received.bytes[headSize..<headSize + head.size])
            received.bytes.removeFirst(headSize + head.size)
            guard let message = HandoverMessage(kind: head.kind, body) else { throw .ended }
            return message
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
