// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import Glibc

/// Runs a probe as a child process and collects its results, its output and its end.
final class ProbeProcess {
    private let child: ChildProcess
    /// The end of the pipe that results come from.
    private let results: Int32
    /// The file in memory that the probe prints into.
    private let output: Int32
    private var unread: [UInt8] = []

    /// How long a process may take to answer when it is asked what it is doing.
    private static let patience = Duration.seconds(5)
    /// How much of the printed text is kept. In bytes.
    private static let outputLimit = 1 << 20

    /// Runs a probe to its end.
    ///
    /// - Parameters:
    ///   - executable: The command.
    ///   - arguments: The arguments that make the command a probe.
    ///   - limit: How long each check may take.
    /// - Throws: ``SystemError`` if the probe cannot be started.
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
        var command = ChildCommand(executable, arguments)
        // The probe's own report tells the place, and takes no seconds for it.
        command.environment["SWIFT_BACKTRACE"] = "enable=no"
        do throws(SystemError) {
            // The last one is `Probe.descriptor`.
            child = try ChildProcess(
                command,
                [.empty, .descriptor(output), .descriptor(output), .descriptor(pipe.writeEnd)])
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
        while isOpen, child.ending == nil || isReadable(within: .zero) {
            let isReady = isReadable(within: deadline - .now)
            if isReady {
                let known = outcome.events.count
                isOpen = read(into: &outcome)
                if outcome.events.count > known, !outcome.isOverdue { deadline = .now + limit }
            } else {
                child.poll(waits: false)
            }
            guard child.ending == nil, ContinuousClock.now > deadline || outcome.isOverdue else {
                continue
            }
            if !outcome.isOverdue {
                outcome.isOverdue = true
                deadline = .now + Self.patience
                kill(child.identifier, CrashWatch.question)
            }
            if outcome.hasAnswered || ContinuousClock.now > deadline {
                child.signal(SIGKILL)
                child.wait()
            }
        }
        // A probe that has closed the pipe may still run.
        if child.wait(until: deadline) == nil {
            outcome.isOverdue = true
            child.signal(SIGKILL)
        }
        outcome.ending = child.wait()
        // The probe may have left other processes behind.
        child.killGroup()
        outcome.output = printed()
        return outcome
    }

    /// Reads one piece; returns `false` at the end of the pipe.
    private func read(into outcome: inout ProbeOutcome) -> Bool {
        guard let piece = Pipe.read(results, count: 16 << 10) else { return true }
        unread += piece
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            outcome.take(unread[..<end])
            unread.removeSubrange(...end)
        }
        return !piece.isEmpty
    }

    /// - Parameter time: How long to wait at most. The wait is short in any case: a process that
    ///   the probe left behind may hold the pipe open.
    private func isReadable(within time: Duration) -> Bool {
        Pipe.isReadable(results, within: Int32(max(0, min(50, time / .milliseconds(1)))))
    }

    private func printed() -> [UInt8] {
        var status = stat()
        guard fstat(output, &status) == 0, status.st_size > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), Self.outputLimit))
        let count = pread(output, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
