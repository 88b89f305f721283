// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesNative
internal import CEavesSystem
import Glibc

/// A socket between processes of this machine, which is closed when its owner goes.
package struct LocalSocket: ~Copyable, Sendable {
    /// The C descriptor. Valid as long as this value lives.
    package let descriptor: Int32

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Makes a socket that takes connections under a free path. Other processes can reach it by the path until the
    /// file is removed.
    package init(listeningAt path: String) throws(SystemError) {
        descriptor = eaves_socket_listen(path)
        guard descriptor >= 0 else { throw SystemError(.create, path) }
    }

    /// Connects to a socket, and does not wait for it: a process that takes no connections is
    /// ``Errno/tryAgain``, and one that is gone ``Errno/connectionRefused``. Reading does not wait either.
    package init(connectingTo path: String) throws(SystemError) {
        descriptor = eaves_socket_connect(path)
        guard descriptor >= 0 else { throw SystemError(.open, path) }
    }

    /// Makes two ends that are connected with each other. No child inherits them unless it is told to.
    ///
    /// - Parameter action: Their purpose, for the error.
    /// - Returns: Their descriptors, which the caller closes.
    package static func pair(
        for action: SystemError.Action = .open, _ subject: String = "a socket"
    ) throws(SystemError) -> (own: Int32, other: Int32) {
        var ends: [Int32] = [-1, -1]
        guard eaves_socket_pair(&ends) == 0 else { throw SystemError(action, subject) }
        return (ends[0], ends[1])
    }

    deinit { close(descriptor) }

    /// Hands the descriptor to the caller, who closes it.
    package consuming func release() -> Int32 {
        let released = descriptor
        discard self
        return released
    }

    /// Takes the next connection; `nil` if none waits.
    package func accept() -> LocalSocket? {
        let accepted = eaves_socket_accept(descriptor)
        return accepted >= 0 ? LocalSocket(descriptor: accepted) : nil
    }

    package var peer: Peer? { Self.peer(of: descriptor) }

    /// The process at the other end of a connection; `nil` if the system does not tell.
    package static func peer(of descriptor: Int32) -> Peer? {
        var peer = eaves_socket_peer()
        guard eaves_socket_get_peer(descriptor, &peer) == 0 else { return nil }
        return Peer(process: peer.process, user: peer.user)
    }

    /// The process at the other end of a connection, as the system knows it.
    package struct Peer: Hashable, Sendable {
        /// Its identifier; 0 if this process cannot see it.
        package let process: Int32
        package let user: UInt32
    }
}

extension LocalSocket {
    /// How many descriptors one message can carry.
    package static let mostDescriptors = Int(eaves_socket_most_descriptors)

    /// Sends all bytes, at least one, and copies of descriptors with the first of them. Waits.
    package static func send(
        _ bytes: [UInt8], _ descriptors: [Int32] = [], to connection: Int32
    ) throws(SystemError) {
        var rest = bytes[...]
        var descriptors = descriptors
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { buffer in
                eaves_socket_send(
                    connection, buffer.baseAddress!, buffer.count, descriptors, descriptors.count)
            }
            guard sent > 0 else { throw SystemError(.write, "a socket") }
            descriptors = []
            rest = rest.dropFirst(sent)
        }
    }

    /// Sends a few bytes without waiting. If the other process is gone or does not read, nothing happens.
    package static func sendAtOnce(_ bytes: [UInt8], to socket: Int32) {
        guard socket >= 0 else { return }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = Glibc.send(socket, bytes, bytes.count, flags)
    }

    /// Receives some bytes, and the descriptors that come with them, which the caller closes. Waits.
    ///
    /// - Parameter limit: How many bytes at most. What comes behind them can be received later.
    /// - Returns: No bytes at the end.
    package static func receive(
        from connection: Int32, upTo limit: Int = 1 << 16
    ) throws(SystemError) -> (bytes: [UInt8], descriptors: [Int32]) {
        var descriptors = [Int32](repeating: -1, count: mostDescriptors)
        var count = 0
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            received = eaves_socket_receive(
                connection, buffer.baseAddress!, limit, &descriptors, &count)
            filled = max(0, received)
        }
        guard received >= 0 else { throw SystemError(.read, "a socket") }
        return (bytes, Array(descriptors.prefix(count)))
    }
}

extension Errno {
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
}

/// The two ends of a pipe, which no child process inherits. Its maker closes both ends.
package struct Pipe {
    package var readEnd: Int32
    package var writeEnd: Int32

    /// Fails with `errno` set.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    package func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }

    /// Whether a descriptor can be read without waiting: bytes have come in, or the other end is closed.
    ///
    /// - Parameter milliseconds: How long to wait for that.
    package static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, milliseconds) > 0
    }

    /// Reads up to `count` bytes of a descriptor. Returns none at the end, and `nil` if a signal interrupted it.
    package static func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var got = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            got = Glibc.read(descriptor, buffer.baseAddress, count)
            filled = max(0, got)
        }
        return got < 0 && errno == EINTR ? nil : bytes
    }
}
