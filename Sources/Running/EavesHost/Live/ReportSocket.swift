// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesLife
package import EavesManifest
import EavesSystem
import EavesTrust
import Glibc
import Synchronization

/// A socket in the store by which a host tells other processes about itself, on a thread of its own that sleeps
/// until a process asks.
///
/// A process that connects gets one message, and need not send anything. Only processes of this host's user, and root, get
/// it. A reader that is slow, or many of them, cost the host nothing but descriptors, and few of those.
///
/// Safe from any thread.
final class ReportSocket: Sendable {
    static let folderName = "hosts"
    static let suffix = ".sock"
    /// How many readers the host serves at once; further ones are sent away.
    private static let mostReaders = 8
    private static let patience = Duration.seconds(5)

    private let folder: OpenFolder
    let name: String
    private let listener: LocalSocket
    private let ended: EventFlag
    private let report: @Sendable () -> [UInt8]

    /// Offers reports from now on, until ``end()``.
    ///
    /// - Parameter report: A function that makes the message, on the thread of the socket.
    init(in store: Store, report: @escaping @Sendable () -> [UInt8]) throws {
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

    private struct Reader {
        let descriptor: Int32
        var rest: ArraySlice<UInt8>
        let deadline: ContinuousClock.Instant
        var isDone = false

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

/// Lets other processes see a host as long as it follows the disk. A host that does not follow costs nothing.
///
/// Safe from any thread.
final class ReportOffer: Sendable {
    private let live: LiveModules
    private let store: Store
    /// When the host began, in seconds since 1970.
    private let since = WallClock.second
    private let state = Mutex(State())

    private struct State {
        var socket: ReportSocket?
        var predecessor: Int32?
        /// The time to offer reports anew, because the socket was removed.
        var renewal: ContinuousClock.Instant?
    }

    /// The pause before another socket is made: a user who removes the whole store is to find no new file in it.
    private static let pause = Duration.seconds(1)

    init(of live: LiveModules, in store: Store) {
        self.live = live
        self.store = store
    }

    /// Offers reports. Where the store cannot be written, no process can ask, and the host follows all the same.
    func begin() {
        state.withLock { $0.socket = socket() }
    }

    /// Notes the process that this one takes over from.
    func takeOver(from process: Int32) { state.withLock { $0.predecessor = process } }

    private func socket() -> ReportSocket? {
        let program = CommandLine.keptArguments.map(\.shellWord).joined(separator: " ")
        return try? ReportSocket(in: store) { [self] in
            // A process that hears that the host has taken on everything sees the generations of then, or later ones.
            let standing = live.standing
            return RunningHost.report(
                program: program, since: since, live.generations, standing,
                predecessor: state.withLock { $0.predecessor })
        }
    }

    /// The path of the socket, whose removal is news; `nil` without an offer.
    var place: String? {
        let name = state.withLock { $0.socket?.name }
        return name.map { Path.join(store.path(of: ReportSocket.folderName), $0) }
    }

    /// When to call ``renew()`` next, without news.
    var nextRenewal: ContinuousClock.Instant? { state.withLock { $0.renewal } }

    /// Offers reports anew if the socket was removed, or the store with it.
    func renew() {
        state.withLock { state in
            guard let known = state.socket else { return }
            if (try? store.open(ReportSocket.folderName))??.has(known.name) == true {
                state.renewal = nil
                return
            }
            guard let renewal = state.renewal else {
                state.renewal = .now + Self.pause
                return
            }
            guard renewal <= .now else { return }
            state.renewal = nil
            guard let new = socket() else { return }
            known.end()
            state.socket = new
        }
    }

    /// Takes the offer back: the host does not follow any more, or this process is no longer a host.
    func end() {
        state.withLock { state in
            state.socket?.end()
            state = State(predecessor: state.predecessor)
        }
    }
}

extension RunningHost {
    /// Asks all processes that follow a manifest's modules: each shell, each `launch --live`, each program that has
    /// called `Host.follow()`.
    ///
    /// - Returns: The processes by their numbers, and why there may be others of which this process cannot know: those of
    ///   other users, and those whose store cannot be written. One that does not answer in time, for instance because it was
    ///   stopped, has no generations.
    package static func survey(
        of manifest: Manifest, within limit: Duration = .seconds(2)
    ) throws -> (hosts: [RunningHost], unknown: [Diagnostic]) {
        var hosts: [RunningHost] = []
        var answers: [Answer] = []
        var unknown: [Diagnostic] = []
        var isThere = manifest.store.isInMemory
        defer { for answer in answers { close(answer.descriptor) } }
        let closed = try manifest.store.inEachPlace(ReportSocket.folderName) { folder, trust in
            isThere = true
            ReportSocket.removeDead(in: folder)
            let names = (try? folder.entries())?.map(\.name) ?? []
            for name in names where name.hasSuffix(ReportSocket.suffix) {
                // The socket's name starts with the PID in that process's own namespace.
                let number = name.prefix { $0.isNumber }
                do throws(SystemError) {
                    let socket = try LocalSocket(connectingTo: Path.join(folder.ownPath, name))
                    guard let peer = socket.peer else { continue }
                    guard peer.user == geteuid() || geteuid() == 0 && trust.trusts(peer.user) else {
                        throw SystemError(.open, name, .permissionDenied)
                    }
                    answers.append(Answer(process: peer.process, descriptor: socket.release()))
                } catch  where error.errno == .tryAgain {
                    hosts.append(.silent(Int32(number) ?? 0))
                } catch  where error.errno == .permissionDenied {
                    let path = Path.join(folder.path, name)
                    unknown.append(
                        Self.unknown(
                            "process \(number)", because: SystemError(.open, path, error.errno)))
                } catch {
                    // It has ended meanwhile.
                }
            }
        }
        let obstacle = isThere ? nil : manifest.store.obstacle
        unknown += ((obstacle.map { [$0] } ?? []) + closed).map {
            Self.unknown("hosts", because: $0)
        }
        read(&answers, until: .now + limit)
        hosts += answers.compactMap(\.host)
        return (hosts.sorted { $0.process < $1.process }, unknown)
    }

    private static func unknown(_ subject: String, because error: SystemError) -> Diagnostic {
        Diagnostic(
            "\(subject) may follow this manifest and cannot be asked: "
                + error.diagnostic.message,
            fix: "ask as the user whose process it is, or look with 'ps'", code: .untrusted)
    }

    private static func read(_ answers: inout [Answer], until deadline: ContinuousClock.Instant) {
        while true {
            let waiting = answers.indices.filter { !answers[$0].isOver }
            guard !waiting.isEmpty, deadline > .now else { return }
            var sources = waiting.map {
                pollfd(fd: answers[$0].descriptor, events: Int16(POLLIN), revents: 0)
            }
            _ = poll(&sources, nfds_t(sources.count), PollTime.milliseconds(until: deadline))
            for (index, source) in zip(waiting, sources) where source.revents != 0 {
                answers[index].read()
            }
        }
    }

    /// The message of one process, as far as it has come.
    private struct Answer {
        let process: Int32
        let descriptor: Int32
        var bytes: [UInt8] = []
        var isOver = false
        /// The longest report. Longer replies are rejected.
        private static let limit = 64 << 20

        mutating func read() {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
                if bytes.count > Self.limit { isOver = true }
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                isOver = true
            }
        }

        /// `nil` for a process that has ended. One of another version, whose report has another form, tells nothing.
        var host: RunningHost? {
            if isOver, bytes.isEmpty { return nil }
            return RunningHost(report: bytes, of: process) ?? .silent(process)
        }
    }
}
