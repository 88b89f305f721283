// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc
import Synchronization

/// Sends and receives messages on a socket.
///
/// One thread receives. Sending never waits: what the socket does not take is kept, and the receiving thread sends it
/// later. A process that does not read harms its own calls alone.
///
/// Safe from any thread.
package final class MessageChannel: Sendable {
    private let socket: Int32
    /// Can be read when the process at the other end has ended; -1 for one that is not watched.
    private let process: Int32
    /// Is noted when something is kept, or the channel is to end.
    private let wake: EventFlag
    private let outgoing = Mutex(Outgoing())

    private struct Outgoing {
        var kept: [UInt8] = []
        var isClosed = false
    }

    /// How much is kept for a process that does not read. In bytes.
    private static let mostKept = 4 * Message.contentLimit
    private static let pieceSize = 1 << 16

    /// - Parameters:
    ///   - socket: A descriptor, which the channel closes.
    ///   - process: A descriptor that names the process at the other end, and is open as long as the channel; -1 for none.
    ///     Then the channel also ends with the process, although another one may have its end of the socket.
    /// - Throws: `SystemError` if no descriptor is left.
    package init(_ socket: Int32, of process: Int32 = -1) throws(SystemError) {
        self.socket = socket
        self.process = process
        do throws(SystemError) {
            wake = try EventFlag(for: .open, "a channel")
        } catch {
            close(socket)
            throw error
        }
    }

    deinit { close(socket) }

    /// Sends a message. Returns `false` if it will not arrive: the channel is closed, or the other process has not read
    /// for too long.
    @discardableResult
    package func send(_ message: Message) -> Bool {
        let bytes = message.bytes
        return outgoing.withLock { outgoing in
            guard !outgoing.isClosed else { return false }
            var sent = 0
            if outgoing.kept.isEmpty { sent = write(bytes[...]) }
            guard sent < bytes.count else { return true }
            guard outgoing.kept.count + bytes.count <= Self.mostKept else { return false }
            let isFirst = outgoing.kept.isEmpty
            outgoing.kept += bytes[sent...]
            if isFirst { wake.note() }
            return true
        }
    }

    /// Sends as much as the socket takes. Returns how much that is.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket, buffer.baseAddress! + sent, buffer.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EINTR { continue }
            // An error shows when the channel is read.
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Lets the receiving thread look again until when it waits.
    package func look() { wake.note() }

    /// Ends the channel: nothing is sent any more, and ``receive(until:_:)`` returns.
    package func end() {
        outgoing.withLock { $0.isClosed = true }
        shutdown(socket, Int32(SHUT_RDWR))
        wake.note()
    }

    /// Receives messages until the channel ends. Blocks the thread.
    ///
    /// - Parameters:
    ///   - deadline: Gives the time at which `look` is to be called next; `nil` for none.
    ///   - look: Is called at about that time, and after each message.
    ///   - take: Takes a message.
    /// - Throws: ``MessageError``, also that of `take`. Then nothing more is received.
    package func receive(
        until deadline: () -> ContinuousClock.Instant? = { nil }, look: () -> Void = {},
        _ take: (Message) throws(MessageError) -> Void
    ) throws(MessageError) {
        defer { outgoing.withLock { $0.isClosed = true } }
        var buffer = MessageBuffer()
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.pieceSize, alignment: 8)
        defer { memory.deallocate() }
        while true {
            look()
            var watched = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: process, events: Int16(POLLIN), revents: 0),
            ]
            let (keeps, isClosed) = outgoing.withLock { (!$0.kept.isEmpty, $0.isClosed) }
            if isClosed { return }
            if keeps { watched[0].events |= Int16(POLLOUT) }
            guard poll(&watched, 3, PollTime.milliseconds(until: deadline())) > 0 else { continue }
            if watched[1].revents != 0 { wake.take() }
            if watched[0].revents & Int16(POLLOUT) != 0 { sendKept() }
            guard watched[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else {
                // All that the process has sent is read first.
                if watched[2].revents != 0 { return }
                continue
            }
            let count = recv(socket, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            buffer.append(memory[..<count])
            while let message = try buffer.next() { try take(message) }
        }
    }

    private func sendKept() {
        outgoing.withLock { outgoing in
            let sent = write(outgoing.kept[...])
            outgoing.kept.removeFirst(sent)
        }
    }
}
