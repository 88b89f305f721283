// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
package import EavesManifest
import EavesProcess
package import EavesSystem
import Glibc
import Synchronization

/// A process that is started while its module is still checked, and waits for the request. It ends if none comes.
///
/// Safe from any thread.
package final class SpareWorker: Sendable {
    typealias Work = @Sendable (Result<StartedProgram, SystemError>) -> Void

    private let permissions: Permissions
    private let work = Awaited<Work?>()

    /// Starts the process, on a thread of its own: the system ends a process with the thread that has started it.
    ///
    /// - Throws: `SystemError` if the system has no further thread.
    package init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [work] in
            let started = Result { () throws(SystemError) in try StartedProgram(permissions) }
            work.wait()?(started)
        }
    }

    deinit { work.set(nil) }

    /// Whether the process has the environment that a module with these rights has.
    func fits(_ permissions: Permissions) -> Bool { self.permissions == permissions }

    /// Does something on the process's thread. Is called once.
    func run(_ work: @escaping Work) { self.work.set(work) }
}

/// The processes that wait for their modules.
///
/// Safe from any thread.
package final class SpareWorkers: Sendable {
    private let waiting = Mutex<[String: SpareWorker]>([:])

    package init() {}

    /// Starts a process for a module. Without one, its worker starts it.
    package func prepare(_ module: String, _ permissions: Permissions) {
        guard !WorkerProgram.isRequested, let spare = try? SpareWorker(permissions) else { return }
        waiting.withLock { $0[module] = spare }
    }

    package func take(for module: String) -> SpareWorker? {
        waiting.withLock { $0.removeValue(forKey: module) }
    }

    /// Ends those that are not needed.
    package func end(of modules: [String]) {
        for module in modules { _ = take(for: module) }
    }
}

/// This program, started again in the role of a worker, which waits for its request.
///
/// One thread has it.
final class StartedProgram {
    let child: ChildProcess
    /// The read end of the pipe that a crash is reported on.
    let reports: Int32
    /// Names the process also when its number is another one's.
    let handle: Int32
    /// The channel, until a caller takes it over.
    private var channel: Int32

    init(_ permissions: Permissions) throws(SystemError) {
        guard let sockets = SocketPair() else { throw SystemError(.open, "a channel") }
        guard let pipe = Pipe() else {
            let error = SystemError(.open, "a pipe")
            close(sockets.ours)
            close(sockets.theirs)
            throw error
        }
        defer {
            close(sockets.theirs)
            close(pipe.writeEnd)
        }
        do throws(SystemError) {
            let outputs = [Output(STDOUT_FILENO), Output(STDERR_FILENO)]
            defer { for output in outputs { output.close() } }
            let inherited = try WorkerFiles(
                duplicating: outputs.map(\.descriptor) + [sockets.theirs, pipe.writeEnd])
            // The copies close with their owner.
            defer { withExtendedLifetime(inherited) {} }
            child = try ChildProcess(
                WorkerProgram.command(permissions),
                [.empty] + inherited.descriptors.map { .descriptor($0) })
        } catch {
            close(sockets.ours)
            close(pipe.readEnd)
            throw error
        }
        reports = pipe.readEnd
        handle = eaves_pidfd_open(child.identifier)
        channel = sockets.ours
    }

    deinit {
        close(reports)
        if handle >= 0 { close(handle) }
        if channel >= 0 { close(channel) }
    }

    /// Gives the channel to a caller, who closes it.
    func takeChannel() -> Int32 {
        defer { channel = -1 }
        return channel
    }

    /// The host's output, as a worker gets it. It cannot read a terminal there, nor change how the host writes to it or to
    /// a pipe. A file is the host's own.
    private struct Output {
        let descriptor: Int32
        private let isOwn: Bool

        init(_ output: Int32) {
            var status = stat()
            let type = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
            var opened: Int32 = -1
            if type == S_IFCHR || type == S_IFIFO {
                // Does not wait for the reader of a pipe that has none.
                opened = open(
                    PathHandle.ownPath(of: output), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            }
            isOwn = opened >= 0
            descriptor = isOwn ? opened : output
            if isOwn { _ = fcntl(opened, F_SETFL, 0) }
        }

        func close() { if isOwn { Glibc.close(descriptor) } }
    }
}
