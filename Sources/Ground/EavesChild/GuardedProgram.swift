// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesChild
internal import CEavesSystem
package import EavesProcess
package import EavesSystem
import Glibc

/// A program that runs under a guardian: a child process of ours without any code of the program, which starts it and ends
/// it with all that it has started. `guardian.h` describes how.
///
/// Its owner lets it go when the guardian has ended. Not Sendable.
package final class GuardedProgram: ChildGuardian {
    package enum Role {
        /// A compiler or the like, which may leave processes behind if it ends by itself.
        case tool
        /// The process of a module, which leaves none.
        ///
        /// - startsPrograms: Whether it may start others. They then end also after a core file of this process, which takes
        ///   a copy of its memory on older systems.
        case worker(startsPrograms: Bool)
        /// The process of a module that is not trusted to end, nor to leave others alone.
        case judge(Limits, Means)
    }

    /// The means by which a judge is confined.
    package struct Means: OptionSet, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let namespace = Means(rawValue: UInt32(eaves_confined_namespace))
        package static let landlock = Means(rawValue: UInt32(eaves_confined_landlock))
        package static let filter = Means(rawValue: UInt32(eaves_confined_filter))

        package static let all: Means = [.namespace, .landlock, .filter]
    }

    package struct Limits: Hashable {
        package var processes = 256
        /// In bytes, of all processes together.
        package var memory = Self.usualMemory
        /// The computing time of each process.
        package var time = Duration.seconds(3600)

        package static let usual = Limits()

        /// 4 GB, or half of the machine's memory if that is less.
        private static let usualMemory: UInt64 = {
            let machine = UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) * UInt64(getpagesize())
            return min(4 << 30, max(512 << 20, machine / 2))
        }()
    }

    /// A limit on a judge and all processes that it starts. The raw values are those of `guardian.h`.
    package enum Excess: Int32, Hashable, Sendable {
        case processes = 1
        case memory = 2
    }

    private let guarded: UnsafePointer<eaves_guarded>
    /// A descriptor that can be read when the guardian has ended. When our end is closed, or this process is gone, the guardian kills
    /// everything.
    package let lifeline: Int32
    private var toldToEnd: ContinuousClock.Instant?

    /// Starts a program, and returns when it runs.
    ///
    /// - Parameter streams: The program's descriptors, from 0 on.
    package init(
        _ command: ChildCommand, _ streams: [ChildCommand.Stream], as role: Role
    ) throws(SystemError) {
        precondition(streams.count <= eaves_most_streams)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard null >= 0 else { throw SystemError(.read, "/dev/null") }
        defer { close(null) }
        let descriptors = streams.map { stream in
            if case .descriptor(let descriptor) = stream { descriptor } else { null }
        }
        let ends = try LocalSocket.pair(for: .run, command.executable)
        defer { close(ends.other) }
        let folder = command.folder.map { strdup($0) } ?? nil
        defer { free(folder) }
        // The list has an address, also if there are no streams.
        let guarded = (descriptors + [-1]).withUnsafeBufferPointer { descriptors in
            command.withCLists { executable, arguments, environment in
                // SAFETY: the guardian reads through the pointers until the call returns, which waits for that.
                var asked = eaves_guarded_program(
                    executable: executable, arguments: arguments, environment: environment,
                    folder: folder, streams: descriptors.baseAddress!,
                    stream_count: Int32(streams.count), lifeline: ends.other,
                    role: Int32(eaves_role_tool), outlives_core_files: false, means: 0,
                    processes: 0, memory: 0, seconds: 0)
                switch role {
                case .tool: break
                case .worker(let startsPrograms):
                    asked.role = Int32(eaves_role_worker)
                    asked.outlives_core_files = startsPrograms
                case .judge(let limits, let means):
                    asked.role = Int32(eaves_role_judge)
                    asked.means = means.rawValue
                    asked.processes = UInt32(limits.processes)
                    asked.memory = limits.memory
                    asked.seconds = UInt64(max(1, limits.time.components.seconds))
                }
                return eaves_guard(&asked)
            }
        }
        guard let guarded else {
            let error = SystemError(.run, command.executable)
            close(ends.own)
            throw error
        }
        self.guarded = guarded
        lifeline = ends.own
    }

    deinit {
        close(lifeline)
        eaves_free_guarded(guarded)
    }

    package var identifier: Int32 { guarded.pointee.guardian }

    /// The program's process identifier, by which `/proc` shows it.
    package var process: Int32 { guarded.pointee.process }

    package var means: Means { Means(rawValue: guarded.pointee.means) }

    /// Makes a descriptor that names the program's process also when its number is another one's. The caller closes it.
    ///
    /// - Returns: -1 if it has ended, or the system makes none.
    package func openHandle() -> Int32 {
        let handle = eaves_pidfd_open(process)
        // The number belongs to the program until the guardian has noted its end.
        guard handle >= 0, guarded.pointee.has_ended else { return handle }
        close(handle)
        return -1
    }

    /// Sends a signal to the program, if it still runs.
    package func signal(_ number: Int32) {
        LocalSocket.sendAtOnce([UInt8(truncatingIfNeeded: number)], to: lifeline)
    }

    /// Lets the guardian end everything, and ends a guardian that does not answer: where nothing could confine the program,
    /// that one may have stopped it.
    package func endLifeline() {
        if let toldToEnd {
            if toldToEnd.duration(to: .now) > Self.patience { kill(identifier, SIGKILL) }
        } else {
            toldToEnd = .now
            shutdown(lifeline, Int32(SHUT_WR))
        }
    }

    /// The time for the guardian to end everything; longer than it tries.
    private static let patience = Duration.seconds(60)

    // MARK: Once the guardian has ended

    package var ending: ChildEnding { ChildEnding(status: guarded.pointee.status) }

    package var outcome: ChildOutcome {
        ChildOutcome(
            ending: ending, leftBehind: Int(guarded.pointee.left),
            excess: Excess(rawValue: guarded.pointee.excess),
            isGuardianLost: !guarded.pointee.has_ended)
    }
}

/// How a program has ended that had a guardian.
package struct ChildOutcome: Hashable, Sendable {
    package var ending: ChildEnding
    /// The number of processes that it had left behind. They have been ended.
    package var leftBehind: Int
    /// The limit that it has crossed, so that it was ended.
    package var excess: GuardedProgram.Excess?
    /// Whether its guardian was gone before it, so that its end is not known.
    package var isGuardianLost: Bool

    package init(
        ending: ChildEnding = .exited(0), leftBehind: Int = 0,
        excess: GuardedProgram.Excess? = nil, isGuardianLost: Bool = false
    ) {
        self.ending = ending
        self.leftBehind = leftBehind
        self.excess = excess
        self.isGuardianLost = isGuardianLost
    }
}

extension ChildProcess {
    /// Starts a tool under a guardian, which ends it with all that it has started, in any process group or session: a
    /// compiler's driver gives each compiler a group of its own. If this process is killed, the guardian kills all of them.
    package convenience init(
        guarding command: ChildCommand, _ streams: [ChildCommand.Stream]
    ) throws(SystemError) {
        self.init(guardedBy: try GuardedProgram(command, streams, as: .tool))
    }
}

// SAFETY: one thread at a time uses its child, its reports and its channel; others use its handle, which is constant.
/// A program that runs modules for this process, in the role of a worker or a judge: this program, started again. Its
/// descriptor 3 is a channel to this process, and what its crash handlers write comes over its descriptor 4.
///
/// One thread waits for its end.
package final class StartedProgram: @unchecked Sendable {
    private let child: ChildProcess
    private let program: GuardedProgram
    /// The read end of the pipe that crashes are reported on; -1 once it has ended.
    package private(set) var reports: Int32
    /// The descriptor of the process, which stays its own when its number is another one's; -1 if the system makes none.
    package let handle: Int32
    private var channel: LocalSocket?

    /// - Parameters:
    ///   - command: The program. ``command(_:_:)`` makes the usual one.
    ///   - outputs: The descriptors that become its standard output and its standard error.
    package init(
        _ command: ChildCommand, as role: GuardedProgram.Role, printingTo outputs: [Int32]
    ) throws(SystemError) {
        let sockets = try LocalSocket.pair(for: .open, "a channel")
        channel = LocalSocket(descriptor: sockets.own)
        defer { close(sockets.other) }
        guard let pipe = Pipe() else { throw SystemError(.open, "a pipe") }
        defer { close(pipe.writeEnd) }
        do throws(SystemError) {
            let streams = outputs + [sockets.other, pipe.writeEnd]
            program = try GuardedProgram(
                command, [.empty] + streams.map { .descriptor($0) }, as: role)
        } catch {
            close(pipe.readEnd)
            throw error
        }
        reports = pipe.readEnd
        child = ChildProcess(guardedBy: program)
        handle = program.openHandle()
    }

    deinit {
        closeReports()
        if handle >= 0 { close(handle) }
    }

    /// This program in a role, with the few variables that it may have.
    package static func command(_ role: String, _ environment: Environment) -> ChildCommand {
        ChildCommand("/proc/self/exe", [role], environment: environment)
    }

    /// The number of the process, by which `/proc` shows it. It leads the process group of all that it starts.
    package var process: Int32 { program.process }

    /// A descriptor that can be read when all has ended that the program has started.
    package var lifeline: Int32 { program.lifeline }

    /// Hands the channel to the caller, who closes it.
    package func takeChannel() -> Int32 {
        guard let socket = channel.take() else { return -1 }
        return socket.release()
    }

    package func signal(_ number: Int32) { program.signal(number) }

    /// Lets the program and all that it has started end at once.
    package func kill() { child.signal(SIGKILL) }

    /// Waits for the end of the process.
    ///
    /// - Parameter patience: The time that it has to end by itself, and then to be ended. Without it, it is ended.
    package func ended(within patience: Duration = .zero) -> ChildOutcome {
        _ = Pipe.isReadable(lifeline, within: PollTime.milliseconds(until: .now + patience))
        kill()
        child.wait()
        let outcome = program.outcome
        // It leads its group, and has another number in a namespace, which ends with the guardian.
        if outcome.isGuardianLost, !program.means.contains(.namespace) {
            Glibc.kill(-process, SIGKILL)
        }
        return outcome
    }

    /// Reads what its crash handlers have written. Blocks until there is something.
    package func readReport() -> [UInt8] {
        guard let piece = Pipe.read(reports, count: 16 << 10) else { return [] }
        if piece.isEmpty { closeReports() }
        return piece
    }

    private func closeReports() {
        if reports >= 0 { close(reports) }
        reports = -1
    }
}
