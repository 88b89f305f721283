// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc

/// The process in which a module runs, as its host sees it.
protocol WorkerHome: AnyObject, Sendable {
    /// Whether other modules may be in it.
    var isShared: Bool { get }
    /// Notes that the host has ended the module's channel. Blocks the thread until the process has ended, if that follows.
    func leave()
    /// Blocks the thread until the process has ended, as the module's channel has by itself.
    func end() -> ProcessEnding
    /// Waits, after ``end()``, until none of its modules counts on the process any more. Then their calls can be told of
    /// that: a caller that calls again waits for the next process.
    func awaitOthers()
}

/// The end of a worker's process.
struct ProcessEnding: Sendable {
    let ending: ChildEnding
    /// The function of a module in which it has crashed, as its handlers have reported it; `nil` for none.
    let frame: CrashFrame?
}

/// The way in for a module: where its request goes, and where its messages do.
struct WorkerEntrance {
    /// The number of the process.
    let process: Int32
    /// Names the process also when its number is another one's. It is open as long as the home lives.
    let handle: Int32
    /// The host's end of the channel.
    let channel: Int32
    /// The host's end of the door, by which the request goes; `nil` for the first module of a process, whose request goes
    /// by its channel.
    let door: Int32?
    /// Goes with the request: the other end of the door for the first module, that of the channel for a further one; `nil`
    /// for a module that shares no process.
    let carrying: Int32?
    let home: any WorkerHome

    /// The way into a process that a module does not share.
    ///
    /// - Parameter files: Those of the module.
    init(_ program: StartedProgram, for module: String, _ files: WorkerFiles) {
        program.files[module] = files
        self.init(
            process: program.child.identifier, handle: program.handle,
            channel: program.takeChannel(), door: nil, carrying: nil, home: program)
    }

    init(
        process: Int32, handle: Int32, channel: Int32, door: Int32?, carrying: Int32?,
        home: any WorkerHome
    ) {
        self.process = process
        self.handle = handle
        self.channel = channel
        self.door = door
        self.carrying = carrying
        self.home = home
    }
}

// SAFETY: the thread that has started it alone uses its child, its channel and its files; others use its handle, which is
// constant.
/// This program, started again in the role of a worker, which waits for its request.
///
/// The thread that has started it waits for its end.
final class StartedProgram: @unchecked Sendable {
    let child: ChildProcess
    /// The read end of the pipe that a crash is reported on.
    let reports: Int32
    /// Names the process also when its number is another one's.
    let handle: Int32
    /// The channel, until a caller takes it over.
    private var channel: Int32
    /// The files of the modules that it has, by their ids: the function in which it has crashed is looked up in them.
    var files: [String: WorkerFiles] = [:]

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

    // MARK: Its end

    /// How long a process has to end by itself, once its channels have ended.
    private static let patience = Duration.seconds(2)

    /// Blocks the thread until the process ends, as long as that takes.
    func awaitEnd() { while !Pipe.isReadable(handle, within: -1) {} }

    /// Waits for the end of a process, and ends it if it does not end by itself.
    ///
    /// - Parameter handle: Names the process.
    static func letEnd(_ handle: Int32) {
        let limit = PollTime.milliseconds(until: .now + patience)
        if !Pipe.isReadable(handle, within: limit) { _ = eaves_pidfd_signal(handle, SIGKILL) }
    }

    /// Waits for the end of the process, and ends it if it does not end by itself. Programs that the module has started
    /// end with it.
    func ending() -> ProcessEnding {
        let ending = childEnding()
        return ProcessEnding(ending: ending, frame: frame())
    }

    private func childEnding() -> ChildEnding {
        if handle >= 0 {
            _ = Pipe.isReadable(handle, within: PollTime.milliseconds(until: .now + Self.patience))
        } else if let ending = child.wait(until: .now + Self.patience) {
            return ending
        }
        // As long as this process has not asked for the ending, the number stays that of the process and its group.
        child.signal(SIGKILL)
        return child.wait()
    }

    /// The function in which the process has crashed.
    private func frame() -> CrashFrame? {
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
        let originals = files.compactMapValues { $0.descriptors.last.map(PathHandle.ownPath) }
        return lines.compactMap { CrashFrame($0, originals: originals) }.first { $0.module != nil }
    }

    /// How much the handlers may report. In bytes.
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

extension StartedProgram: WorkerHome {
    var isShared: Bool { false }

    func leave() { _ = ending() }

    func end() -> ProcessEnding { ending() }

    func awaitOthers() {}
}
