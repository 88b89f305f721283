// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTrust
import Glibc

/// A socket in the store by which a host tells other processes about itself, on a thread of its own that sleeps
/// until a process asks.
///
/// A process that connects gets one text, and need not send anything. Only processes of this host's user, and root, get
/// it. A reader that is slow, or many of them, cost the host nothing but descriptors, and few of those.
///
/// Safe from any thread.
final class ReportSocket: Sendable {
    /// The folder of all such sockets, in the store.
    static let folderName = "hosts"
    /// How each of them ends.
    static let suffix = ".sock"
    /// How many readers the host serves at once; further ones are sent away.
    private static let mostReaders = 8
    /// How long a reader may take.
    private static let patience = Duration.seconds(5)

    private let folder: OpenFolder
    let name: String
    private let listener: LocalSocket
    /// The event that ends the thread.
    private let ended: EventFlag
    private let report: @Sendable () -> [UInt8]

    /// Offers reports from now on, until ``end()``.
    ///
    /// - Parameter report: A function that makes the text, on the thread of the socket.
    init(
        in store: Store, report: @escaping @Sendable () -> [UInt8]
    ) throws {
        folder = try store.make(Self.folderName)
        Self.removeDead(in: folder)
        // The number alone is not enough: processes in other containers may have the same.
        let mark = String(UInt32.random(in: 0 ... .max), radix: 36)
        name = "\(getpid()).\(mark)\(Self.suffix)"
        // It gets its name when it takes connections: a reader would take it for one of a dead process before.
        let early = ".\(name).new"
        listener = try LocalSocket(listeningAt: Path.join(folder.ownPath, early))
        do throws(SystemError) {
            try folder.rename(early, to: name)
            ended = try EventFlag()
        } catch {
            try? folder.remove(early)
            try? folder.remove(name)
            throw error
        }
        self.report = report
        try DetachedThread.start { [self] in serve() }
    }

    /// Takes the socket away, and ends the thread.
    func end() {
        try? folder.remove(name)
        ended.note()
    }

    /// Removes the sockets of processes that are gone.
    static func removeDead(in folder: borrowing OpenFolder) {
        for entry in (try? folder.entries()) ?? [] where entry.name.hasSuffix(suffix) {
            do throws(SystemError) {
                _ = try LocalSocket(connectingTo: Path.join(folder.ownPath, entry.name))
            } catch  where error.errno == .connectionRefused {
                // A file that cannot be removed now is tried again by the next process.
                try? folder.remove(entry.name)
            } catch {
                // It lives, and is busy.
            }
        }
    }

    // MARK: The thread

    private func serve() {
        var readers: [Reader] = []
        defer { for reader in readers { close(reader.descriptor) } }
        while true {
            var sources = [
                pollfd(fd: ended.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            sources += readers.map {
                pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0)
            }
            _ = poll(&sources, nfds_t(sources.count), readers.isEmpty ? -1 : 1000)
            if sources[0].revents != 0 { return }
            for index in readers.indices { readers[index].send() }
            readers.removeAll(where: \.isDone)
            if sources[1].revents != 0 { take(&readers) }
        }
    }

    /// Takes all connections that wait.
    private func take(_ readers: inout [Reader]) {
        while let connection = listener.accept() {
            guard readers.count < Self.mostReaders, let user = connection.peer?.user,
                user == geteuid() || user == 0
            else { continue }
            var reader = Reader(
                descriptor: connection.release(), rest: report()[...],
                deadline: .now + Self.patience)
            reader.send()
            if !reader.isDone { readers.append(reader) }
        }
        // As long as this process has no further descriptor, the connection goes on waiting.
        if errno == EMFILE || errno == ENFILE { usleep(100_000) }
    }

    /// A reader of the report.
    private struct Reader {
        let descriptor: Int32
        var rest: ArraySlice<UInt8>
        let deadline: ContinuousClock.Instant
        private(set) var isDone = false

        init(descriptor: Int32, rest: ArraySlice<UInt8>, deadline: ContinuousClock.Instant) {
            self.descriptor = descriptor
            self.rest = rest
            self.deadline = deadline
        }

        /// Sends as much as the system takes; closes the connection at the end.
        mutating func send() {
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if sent > 0 {
                    rest = rest.dropFirst(sent)
                } else if errno == EAGAIN, ContinuousClock.now < deadline {
                    return
                } else if errno != EINTR {
                    break
                }
            }
            close(descriptor)
            isDone = true
        }
    }
}
