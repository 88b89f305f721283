// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import Glibc

/// A probe as the verifying process sees it: its results, its output, its end.
final class ProbeProcess {
    private let identifier: Int32
    /// The end of the pipe from which results are read.
    private let results: Int32
    /// The file in memory that the probe prints into.
    private let output: Int32
    private var ending: ChildEnding?
    private var unread: [UInt8] = []

    /// How long an overdue process has to report which code is running.
    private static let patience = Duration.seconds(5)
    /// The number of printed bytes that are kept.
    private static let outputLimit = 1 << 20

    /// Runs a probe to its end.
    ///
    /// - Parameters:
    ///   - executable: The command's own file.
    ///   - arguments: The arguments that make it a probe.
    ///   - limit: How long each check may take.
    /// - Throws: ``SystemError`` if it cannot be started.
    static func run(
        _ executable: String, _ arguments: [String], limit: Duration
    ) throws(SystemError) -> ProbeOutcome {
        try ProbeProcess(executable, arguments).wait(limit: limit)
    }

    private init(_ executable: String, _ arguments: [String]) throws(SystemError) {
        output = MemoryFile.open("eaves-probe")
        guard output >= 0, let pipe = Pipe() else {
            let error = SystemError(.run, executable)
            if output >= 0 { close(output) }
            throw error
        }
        results = pipe.readEnd
        defer { close(pipe.writeEnd) }
        do throws(SystemError) {
            identifier = try Self.spawn(
                executable, arguments, results: pipe.writeEnd, output: output)
        } catch {
            close(results)
            close(output)
            throw error
        }
    }

    deinit {
        close(results)
        close(output)
    }

    private func wait(limit: Duration) -> ProbeOutcome {
        var outcome = ProbeOutcome()
        var deadline = ContinuousClock.now + limit
        var isOpen = true
        while isOpen, ending == nil || isReadable(within: .zero) {
            let isReady = isReadable(within: deadline - .now)
            if isReady {
                let known = outcome.events.count
                isOpen = read(into: &outcome)
                if outcome.events.count > known, !outcome.isOverdue { deadline = .now + limit }
            } else {
                poll(waits: false)
            }
            guard ending == nil, ContinuousClock.now > deadline || outcome.isOverdue else {
                continue
            }
            if !outcome.isOverdue {
                outcome.isOverdue = true
                deadline = .now + Self.patience
                kill(identifier, CrashWatch.question)
            }
            if outcome.hasAnswered || ContinuousClock.now > deadline { end() }
        }
        // A process that closed the pipe may still be running.
        if !poll(waits: true, until: deadline) { outcome.isOverdue = true }
        // It may have left other processes behind.
        kill(-identifier, SIGKILL)
        outcome.ending = ending ?? .signalled(SIGKILL)
        outcome.output = printed()
        return outcome
    }

    private func end() {
        kill(-identifier, SIGKILL)
        poll(waits: true)
    }

    /// Notes how it ended, if it has.
    ///
    /// - Returns: `false` if it had to be killed because it was still running at `deadline`.
    @discardableResult
    private func poll(waits: Bool, until deadline: ContinuousClock.Instant? = nil) -> Bool {
        while ending == nil {
            var status: Int32 = 0
            let isPatient = waits && deadline == nil
            let result = waitpid(identifier, &status, isPatient ? 0 : WNOHANG)
            if result == identifier {
                ending = ChildEnding(status: status)
            } else if result < 0, errno == ECHILD {
                // Other code of this process has taken the status: it has ended, nobody knows how.
                ending = .exited(-1)
            } else if let deadline, ContinuousClock.now > deadline {
                kill(-identifier, SIGKILL)
                _ = waitpid(identifier, &status, 0)
                ending = .signalled(SIGKILL)
                return false
            } else if !waits {
                return true
            } else if deadline != nil {
                usleep(1000)
            }
        }
        return true
    }

    /// Reads one piece. Returns `false` at the end of the pipe.
    private func read(into outcome: inout ProbeOutcome) -> Bool {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = Glibc.read(results, &piece, piece.count)
        if count < 0 { return errno == EINTR }
        unread += piece.prefix(count)
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            outcome.take(unread[..<end])
            unread.removeSubrange(...end)
        }
        return count > 0
    }

    /// Whether results arrive soon. It waits for 50 ms at most, because a process that the probe left
    /// behind may hold the pipe open.
    ///
    /// - Parameter time: The longest time to wait.
    private func isReadable(within time: Duration) -> Bool {
        var watched = pollfd(fd: results, events: Int16(POLLIN), revents: 0)
        let milliseconds = max(0, min(50, time / .milliseconds(1)))
        return Glibc.poll(&watched, 1, Int32(milliseconds)) > 0
    }

    private func printed() -> [UInt8] {
        var status = stat()
        guard fstat(output, &status) == 0, status.st_size > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), Self.outputLimit))
        let count = pread(output, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], results: Int32, output: Int32
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        posix_spawn_file_actions_adddup2(&actions, results, Probe.descriptor)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var environment = Environment.current
        // Swift's own backtrace takes seconds. The crash handler's report replaces it.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        var identifier: Int32 = 0
        let failure = CStrings.with([executable] + arguments) { arguments in
            CStrings.with(environment.entries) { environment in
                posix_spawn(
                    &identifier, executable, &actions, &attributes, arguments, environment)
            }
        }
        guard failure == 0 else {
            throw SystemError(.run, executable, Errno(rawValue: failure))
        }
        return identifier
    }
}
