// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesManifest
import EavesModules
import EavesProcess
import EavesSystem
import Glibc

// SAFETY: one thread at a time uses its child and its channel; others use its handle, which is constant.
/// This program, started again in the role of a worker, which waits for its request.
///
/// One thread waits for its end.
final class StartedProgram: @unchecked Sendable {
    private let child: ChildProcess
    private let program: GuardedProgram
    /// The read end of the pipe that a crash is reported on.
    let reports: Int32
    /// The descriptor of the process, which stays its own when its number is another one's.
    let handle: Int32
    /// The leader of the process group that the process and its children cannot leave.
    var leader: Int32 { program.process }
    /// The channel, until a caller takes it over.
    private var channel: Int32

    init(_ permissions: Permissions) throws(SystemError) {
        let sockets = try LocalSocket.pair(for: .open, "a channel")
        guard let pipe = Pipe() else {
            let error = SystemError(.open, "a pipe")
            close(sockets.own)
            close(sockets.other)
            throw error
        }
        defer {
            close(sockets.other)
            close(pipe.writeEnd)
        }
        do throws(SystemError) {
            let outputs = [Output(STDOUT_FILENO), Output(STDERR_FILENO)]
            defer { for output in outputs { output.close() } }
            let streams = outputs.map(\.descriptor) + [sockets.other, pipe.writeEnd]
            program = try GuardedProgram(
                ChildCommand(
                    "/proc/self/exe", [WorkerRole.word],
                    environment: Wall.environment(permissions)),
                [.empty] + streams.map { .descriptor($0) },
                as: .worker(startsPrograms: !permissions.run.isEmpty))
        } catch {
            close(sockets.own)
            close(pipe.readEnd)
            throw error
        }
        reports = pipe.readEnd
        child = ChildProcess(keptBy: program)
        handle = program.openHandle()
        channel = sockets.own
    }

    deinit {
        close(reports)
        if handle >= 0 { close(handle) }
        if channel >= 0 { close(channel) }
    }

    /// Hands the channel to the caller, who closes it.
    func takeChannel() -> Int32 {
        defer { channel = -1 }
        return channel
    }

    // MARK: Its end

    /// The time that a process has to end by itself, once its channel has ended.
    private static let patience = Duration.seconds(2)

    /// Waits for the end of the process, and ends it if it does not end by itself. Programs that the module has started
    /// end with it.
    ///
    /// - Parameter files: The module's files, in which the function of a crash is looked up.
    /// - Returns: Also the function of a module in which it has crashed, as its handlers have reported it; `nil` for none.
    func ending(
        of module: String, _ files: WorkerFiles
    ) -> (ending: ChildEnding, frame: CrashFrame?) {
        (childEnding(), frame(in: module, files))
    }

    private func childEnding() -> ChildEnding {
        _ = Pipe.isReadable(
            program.lifeline, within: PollTime.milliseconds(until: .now + Self.patience))
        child.signal(SIGKILL)
        return child.wait()
    }

    private func frame(in module: String, _ files: WorkerFiles) -> CrashFrame? {
        var bytes: [UInt8] = []
        while Pipe.isReadable(reports, within: 0), bytes.count < Self.reportLimit,
            let piece = Pipe.read(reports, count: 16 << 10), !piece.isEmpty
        {
            bytes += piece
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        // A copy in memory has no path that another process can read.
        let originals = files.descriptors.last.map { [module: PathHandle.ownPath(of: $0)] } ?? [:]
        return lines.compactMap { CrashFrame($0, originals: originals) }.first { $0.module != nil }
    }

    /// The largest report of the handlers. In bytes.
    private static let reportLimit = 1 << 20

    // MARK: Its output

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

/// A process that is started while its module is still checked, and waits for the request. It ends if none comes.
///
/// Safe from any thread.
final class SpareWorker: Sendable {
    /// The process has the environment that a module with these rights has.
    let permissions: Permissions
    private let started = Awaited<Result<StartedProgram, SystemError>>()

    /// Starts the process on a thread of its own, so that the caller goes on meanwhile.
    init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [started] in
            started.set(Result { () throws(SystemError) in try StartedProgram(permissions) })
        }
    }

    /// Waits until the process runs. The caller calls this once.
    func take() -> Result<StartedProgram, SystemError> { started.wait() }
}

/// The open files of a module and of the interface modules that it needs, for each process that a worker starts.
final class WorkerFiles: Sendable {
    /// Those of the interface modules first, each behind those that it builds on, and the module's own last.
    let descriptors: [Int32]

    init(duplicating files: [Int32]) throws(SystemError) {
        var descriptors: [Int32] = []
        for file in files {
            let descriptor = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            guard descriptor >= 0 else {
                let error = SystemError(.open, "a module's file")
                for descriptor in descriptors { close(descriptor) }
                throw error
            }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
