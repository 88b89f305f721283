// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesManifest
import EavesModules
import EavesProcess
package import EavesSystem
import Glibc
import Synchronization

/// This program in the role of a worker, which waits for its request, and the folder for its temporary files.
final class StartedWorker: Sendable {
    let program: StartedProgram
    let space: TemporarySpace
    /// The relays of its output, where that does not go to the host's by itself.
    let prints: [PrintRelay]

    init(_ permissions: Permissions) throws(SystemError) {
        let output = try LentOutput(STDOUT_FILENO)
        let errors = try LentOutput(STDERR_FILENO, or: output)
        defer { for end in [output.own, errors.own] where end >= 0 { close(end) } }
        prints = [output.relay, errors.relay].compactMap(\.self)
        space = try TemporarySpace()
        program = try StartedProgram(
            StartedProgram.command(WorkerRole.word, Wall.environment(permissions, space)),
            as: .worker(startsPrograms: !permissions.run.isEmpty),
            printingTo: [output.descriptor, errors.descriptor])
    }

    /// Waits for the end of the process, and hands on what it prints until then.
    ///
    /// - Parameter patience: The time that it has to end by itself, and then to be ended.
    func ended(within patience: Duration) -> ChildOutcome {
        let deadline = ContinuousClock.now + patience
        while case let open = prints.filter({ !$0.isOver }), !open.isEmpty,
            ContinuousClock.now < deadline
        {
            var watched = ([program.lifeline] + open.map(\.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            poll(&watched, nfds_t(watched.count), PollTime.milliseconds(until: deadline))
            if watched[0].revents != 0 { break }
            for relay in open { relay.pass() }
        }
        let outcome = program.ended(within: max(.zero, deadline - .now))
        for relay in prints { relay.pass() }
        return outcome
    }
}

/// The host's output, as a worker gets it. It cannot read a terminal there, nor change how the host writes to it. In the
/// place of a pipe or a socket, which it could read or end, it gets a pipe of its own. A file is the host's own.
private struct LentOutput {
    let descriptor: Int32
    /// The descriptor that this process closes once the worker has it; -1 for none.
    private(set) var own: Int32 = -1
    private(set) var relay: PrintRelay?
    private let status: stat

    /// - Parameter other: The other output, which may be the same.
    init(_ output: Int32, or other: LentOutput? = nil) throws(SystemError) {
        var status = stat()
        let type = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
        self.status = status
        if type == S_IFCHR {
            own = open(PathHandle.ownPath(of: output), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if own >= 0 { _ = fcntl(own, F_SETFL, 0) }
        } else if type == S_IFIFO || type == S_IFSOCK {
            if let other, other.relay != nil, other.status.st_dev == status.st_dev,
                other.status.st_ino == status.st_ino
            {
                descriptor = other.descriptor
                return
            }
            guard let pipe = Pipe() else { throw SystemError(.open, "a pipe") }
            relay = PrintRelay(from: pipe.readEnd, to: output)
            own = pipe.writeEnd
        }
        descriptor = own >= 0 ? own : output
    }
}

/// Hands on what a worker prints to an output of this process.
///
/// Safe from any thread.
final class PrintRelay: Sendable {
    /// Can be read when there is something to hand on.
    let descriptor: Int32
    private let output: Int32
    /// The memory is kept: each message of the worker asks for its output first. Its pages are touched as they are needed.
    private let state = Mutex(
        (isClosed: false, piece: [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = $0.count }))

    var isOver: Bool { state.withLock { $0.isClosed } }

    fileprivate init(from descriptor: Int32, to output: Int32) {
        self.descriptor = descriptor
        self.output = output
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        SignalHandler.letBrokenPipesFail()
    }

    deinit { if !isOver { close(descriptor) } }

    /// Hands on what has come. A slow reader of the output slows the worker down, and without one the worker has none either.
    func pass() {
        state.withLock { state in
            while !state.isClosed {
                let count = read(descriptor, &state.piece, state.piece.count)
                if count < 0, errno == EAGAIN { return }
                state.isClosed = count == 0 || count > 0 && !write(state.piece[..<count])
                if state.isClosed { close(descriptor) }
            }
        }
    }

    /// - Returns: Whether the output has taken all of it.
    private func write(_ piece: ArraySlice<UInt8>) -> Bool {
        var rest = piece
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var watched = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&watched, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// A process that waits for its request, and may be started while its module is still checked. It ends if none comes.
///
/// Safe from any thread.
final class SpareWorker: Sendable {
    typealias Work = @Sendable (inout Result<StartedWorker, SystemError>?) -> Void

    /// The process has the environment that a module with these rights has.
    let permissions: Permissions
    private let work = Awaited<Work?>()

    /// Starts the process on a thread of its own, so that the caller goes on meanwhile.
    init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [work] in
            var program: Result? = Result { () throws(SystemError) in
                try StartedWorker(permissions)
            }
            work.wait()?(&program)
        }
    }

    deinit { work.set(nil) }

    /// Hands the process, and the thread that has started it, to the first caller.
    func use(_ work: @escaping Work) { self.work.set(work) }
}

/// The private folder of a module's process for its temporary files, in the one that this process has for its own. It goes
/// with the process.
package final class TemporarySpace: Sendable {
    private let folder: WorkFolder

    /// The variables that lead programs, SQLite and Foundation to the folder.
    static let variables = ["TMPDIR", "SQLITE_TMPDIR"]

    /// The most entries that are looked at: where there are more, the folder is full.
    private static let mostEntries = 100_000

    /// Makes the folder in the first of the usual places that this user may write.
    ///
    /// - Throws: The error of the first place, if there is none.
    package init() throws(SystemError) {
        let own = Environment.current["TMPDIR"].map { Path.absolute($0) }
        var first: SystemError?
        for place in [own, "/tmp", "/var/tmp", "/dev/shm"].compactMap(\.self) {
            do throws(SystemError) {
                folder = try WorkFolder(in: OpenFolder(place), for: "worker")
                return
            } catch {
                first = first ?? error
            }
        }
        throw first ?? SystemError(.create, "/tmp")
    }

    package var path: String { folder.plainPath }

    /// Removes the folder, whose process is to end.
    func remove() { folder.remove() }

    /// Whether the folder has taken more than a limit, with the files that are removed there and still open.
    ///
    /// - Parameters:
    ///   - limit: In bytes of the disk.
    ///   - processes: The processes that may have such files open.
    func isOver(_ limit: UInt64, for processes: [Int32]) -> Bool {
        var (size, count) = (UInt64(0), 0)
        var counted: Set<ino_t> = []
        var folders = [path]
        while let folder = folders.popLast() {
            for entry in (try? Folder(folder).entries) ?? [] {
                let path = Path.join(folder, entry.name)
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
                if counted.insert(status.st_ino).inserted { size += UInt64(status.st_blocks) * 512 }
                count += 1
                if size > limit || count > Self.mostEntries { return true }
            }
        }
        for process in processes {
            for entry in (try? Folder("/proc/\(process)/fd").entries) ?? [] {
                let link = "/proc/\(process)/fd/\(entry.name)"
                var status = stat()
                guard (try? Files.target(ofLink: link))?.hasPrefix(path + "/") == true,
                    stat(link, &status) == 0, status.st_nlink == 0,
                    counted.insert(status.st_ino).inserted
                else { continue }
                size += UInt64(status.st_blocks) * 512
            }
        }
        return size > limit
    }
}
