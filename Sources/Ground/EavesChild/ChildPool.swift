// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesProcess
package import EavesSystem
import Glibc

/// Runs child processes side by side, up to a limit, and collects their output.
///
/// One thread and one `poll` serve all children: it reads the output of each child as soon as there
/// is any, so that no child waits for another one.
package struct ChildPool {
    package var limit: Int
    /// The size of a child's output that is kept, in bytes: its beginning and its end.
    package var outputLimit: Int

    /// - Parameter limit: By default as many as the machine has processor cores.
    package init(limit: Int = Self.coreCount, outputLimit: Int = 16 << 20) {
        self.limit = max(1, limit)
        self.outputLimit = outputLimit
    }

    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Runs children until nothing is left to run and all of them have ended.
    ///
    /// - Parameters:
    ///   - interrupts: When a signal comes in, the pool starts no more children and ends those that run.
    ///   - next: A function that returns the next child to start, with a tag to tell it by; `nil` if there is none
    ///     at present. The pool asks again after each child that ends.
    ///   - received: Called with each piece of output, as soon as it comes in.
    ///   - waiting: Called while children run, at least four times a second.
    ///   - finished: Called once for each child, in the order in which they end. It gets an error
    ///     for a child that cannot be started.
    package func run<Tag>(
        interrupts: Interrupts? = nil,
        next: () -> (Tag, ChildCommand)?,
        received: (Tag, [UInt8]) -> Void = { _, _ in },
        waiting: () -> Void = {},
        finished: (Tag, Result<ChildReport, SystemError>) -> Void
    ) {
        var loop = ChildLoop<Tag>(interrupts: interrupts, outputLimit: outputLimit)
        while true {
            while loop.entries.count < limit, interrupts?.signal == nil, let (tag, command) = next()
            {
                do throws(SystemError) {
                    try loop.start(tag, command)
                } catch {
                    finished(tag, .failure(error))
                }
            }
            if loop.entries.isEmpty { return }
            waiting()
            for (tag, report) in loop.collect(received) { finished(tag, .success(report)) }
        }
    }

    package static func run(
        _ command: ChildCommand, interrupts: Interrupts? = nil
    ) throws(SystemError) -> ChildReport {
        var waiting: ChildCommand? = command
        var result = Result<ChildReport, SystemError>.failure(
            SystemError(.run, command.executable, Errno(rawValue: EINTR)))
        ChildPool(limit: 1).run(interrupts: interrupts) {
            defer { waiting = nil }
            return waiting.map { ((), $0) }
        } finished: {
            result = $1
        }
        return try result.get()
    }
}

package struct ChildReport: Sendable {
    package var ending: ChildEnding
    /// The bytes that the child wrote to its standard output and error, in the order of writing.
    package var output: [UInt8]
    /// Whether the child wrote more than was kept. A line in ``output`` stands for the rest.
    package var isOutputCut: Bool
    package var duration: Duration

    package init(
        ending: ChildEnding, output: [UInt8], isOutputCut: Bool = false, duration: Duration
    ) {
        self.ending = ending
        self.output = output
        self.isOutputCut = isOutputCut
        self.duration = duration
    }
}

/// The children of a pool that run at present, and their output so far.
private struct ChildLoop<Tag> {
    struct Entry {
        var tag: Tag
        var child: ChildProcess
        /// The read end of the pipe that the child writes to.
        var pipe: Int32
        var output: KeptOutput
    }

    let interrupts: Interrupts?
    let outputLimit: Int
    var entries: [Entry] = []
    /// When to kill the children that have not ended although they were asked to.
    var deadline: ContinuousClock.Instant?

    /// The longest wait before the next look: for children that have ended although another process,
    /// which they left behind, still holds their pipe open. In milliseconds.
    private static var patience: Int32 { 250 }
    private static var pieceSize: Int { 64 << 10 }

    /// Starts a child whose standard output and error go to one pipe.
    mutating func start(_ tag: Tag, _ command: ChildCommand) throws(SystemError) {
        guard let pipe = Pipe() else { throw SystemError(.run, command.executable) }
        defer { close(pipe.writeEnd) }
        do throws(SystemError) {
            let input = command.input.map(ChildCommand.Stream.descriptor) ?? .empty
            let output = ChildCommand.Stream.descriptor(pipe.writeEnd)
            let inherited = command.inherited.map { [ChildCommand.Stream.descriptor($0)] } ?? []
            let streams = [input, output, output] + inherited
            // A program that asks at the terminal has to be in our process group, in which no guardian is.
            let child =
                command.mayAsk
                ? try ChildProcess(command, streams) : try ChildProcess(guarding: command, streams)
            entries.append(
                Entry(
                    tag: tag, child: child, pipe: pipe.readEnd,
                    output: KeptOutput(limit: outputLimit)))
        } catch {
            close(pipe.readEnd)
            throw error
        }
    }

    /// Waits until something happens, reads and passes on the output that has come in, and returns
    /// the children that have ended.
    mutating func collect(_ received: (Tag, [UInt8]) -> Void) -> [(Tag, ChildReport)] {
        let ready = wait()
        if interrupts?.signal != nil {
            if let deadline {
                if .now > deadline { for entry in entries { entry.child.signal(SIGKILL) } }
            } else {
                deadline = .now + .seconds(2)
                for entry in entries { entry.child.signal(SIGTERM) }
            }
        }
        var finished: [(Tag, ChildReport)] = []
        var running: [Entry] = []
        for (index, var entry) in entries.enumerated() {
            let isAtEnd = ready[index] && !read(into: &entry, received)
            if let ending = entry.child.poll(waits: isAtEnd) {
                while Pipe.isReadable(entry.pipe, within: 0), read(into: &entry, received) {}
                close(entry.pipe)
                let report = ChildReport(
                    ending: ending, output: entry.output.bytes, isOutputCut: entry.output.isCut,
                    duration: entry.child.started.duration(to: .now))
                finished.append((entry.tag, report))
            } else {
                running.append(entry)
            }
        }
        entries = running
        return finished
    }

    /// Returns for each child whether it has written something or closed its end of the pipe.
    private func wait() -> [Bool] {
        var watched = entries.map {
            pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0)
        }
        // The interrupts' descriptor stays readable after a signal: from then on, only time wakes us.
        if let interrupts, interrupts.signal == nil {
            watched.append(pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0))
        }
        let count = poll(&watched, nfds_t(watched.count), Self.patience)
        return watched.prefix(entries.count).map { count > 0 && $0.revents != 0 }
    }

    /// Reads one piece of output; returns `false` at the end of the pipe.
    private func read(into entry: inout Entry, _ received: (Tag, [UInt8]) -> Void) -> Bool {
        guard let piece = Pipe.read(entry.pipe, count: Self.pieceSize) else { return true }
        entry.output.append(piece)
        if !piece.isEmpty { received(entry.tag, piece) }
        return !piece.isEmpty
    }
}

/// The first and the last bytes of an output that can be of any length. A line in between says how much is missing.
package struct KeptOutput: Sendable {
    private let half: Int
    private var first: [UInt8] = []
    /// Up to twice as much as is kept, so that bytes are seldom moved.
    private var last: [UInt8] = []
    /// The number of bytes so far.
    package private(set) var count = 0

    package init(limit: Int) {
        half = max(1, limit / 2)
    }

    package var isCut: Bool { omittedCount > 0 }

    private var omittedCount: Int { count - first.count - min(last.count, half) }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        count += bytes.count
        let room = half - first.count
        first += bytes.prefix(room)
        last += bytes.dropFirst(room)
        if last.count > 2 * half { last.removeFirst(last.count - half) }
    }

    package var bytes: [UInt8] {
        guard isCut else { return first + last }
        let line = "\n[\(omittedCount) bytes are left out here]\n"
        return first + Array(line.utf8) + last.suffix(half)
    }
}
