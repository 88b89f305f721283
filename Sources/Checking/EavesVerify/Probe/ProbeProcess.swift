// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesLoader
import EavesManifest
import EavesProcess
import EavesSystem
import EavesWorker
import Glibc
import Synchronization

/// Runs a probe as a child process and collects its reports, its output, its end, and what can be seen of it from
/// outside. This process runs no code of the module.
final class ProbeProcess {
    private let supervised: SupervisedProcess
    /// Our end of the channel to the probe.
    private let channel: Int32
    /// The file in memory that the probe prints into.
    private let output: Int32
    private var unread: [UInt8] = []
    private var dialogue: ProbeDialogue
    private var outcome = ProbeOutcome()
    /// The rights of the module; `nil` if it has those of the user.
    private let permissions: Permissions?
    private let refusals = Refusals()

    /// How long a process may take to answer when it is asked what it is doing, and how long the supervisor
    /// may take to end everything.
    private static let patience = Duration.seconds(5)
    /// How long a probe may take besides until it begins its first check: that is not the module's time.
    private static let startLimit = Duration.seconds(60)
    /// How much of the printed text is kept. In bytes.
    private static let outputLimit = 1 << 20
    /// How much the crash handler may report. In bytes.
    private static let reportLimit = 1 << 20

    /// Runs a probe to its end. When the call returns, nothing runs any more that the probe has started.
    ///
    /// - Parameters:
    ///   - executable: The command's absolute path.
    ///   - arguments: The arguments that make the command a probe.
    ///   - checks: The ids of the checks that it is going to report on, in order.
    ///   - limit: How long each check may take.
    ///   - permissions: The rights that the module keeps; `nil` if it keeps those of the user.
    /// - Throws: ``SystemError`` if the probe cannot be started.
    static func run(
        _ executable: String, _ arguments: [String], checks: [String] = [], limit: Duration,
        permissions: Permissions? = nil,
        limits: SupervisedProcess.Limits = SupervisedProcess.Limits(),
        means: SupervisedProcess.Means = .all
    ) throws(SystemError) -> ProbeOutcome {
        var limits = limits
        // Threads share the time, so it is a multiple of that which is measured.
        limits.time = min(limits.time, (limit + patience) * (checks.count + 1) * 16)
        return try ProbeProcess(executable, arguments, checks, permissions, limits, means)
            .wait(limit: limit)
    }

    private init(
        _ executable: String, _ arguments: [String], _ checks: [String],
        _ permissions: Permissions?, _ limits: SupervisedProcess.Limits,
        _ means: SupervisedProcess.Means
    ) throws(SystemError) {
        output = MemoryFile.open("eaves-probe")
        guard output >= 0, let sockets = SocketPair() else {
            let error = SystemError(.run, executable)
            if output >= 0 { close(output) }
            throw error
        }
        channel = sockets.ours
        dialogue = ProbeDialogue(checks: checks, isWalled: permissions != nil)
        self.permissions = permissions
        outcome.secret = dialogue.secret
        defer { close(sockets.theirs) }
        let command = ChildCommand(
            executable, arguments,
            environment: permissions.map { Wall.environment($0) }
                ?? ModuleEnvironment.make(from: .current))
        do throws(SystemError) {
            supervised = try SupervisedProcess(
                command, output: output, channel: sockets.theirs, limits: limits, means: means)
        } catch {
            close(channel)
            close(output)
            throw error
        }
        SocketPair.send(Array(dialogue.opening.utf8), to: channel)
    }

    deinit {
        close(channel)
        close(output)
    }

    private func wait(limit: Duration) throws(SystemError) -> ProbeOutcome {
        let startTime = dialogue.hasChecks ? Self.startLimit : .zero
        var deadline = ContinuousClock.now + limit + startTime
        var isOpen = true
        while !supervised.hasEnded {
            let ready = isReady(isOpen, until: deadline)
            // Before the channel, whose reports may wait for those of the supervisor.
            if ready.reports { supervised.read() }
            if ready.channel {
                let known = outcome.events.count
                isOpen = read()
                if outcome.events.count > known, !outcome.isOverdue { deadline = .now + limit }
            }
            if outcome.isForged { supervised.end() }
            guard ContinuousClock.now > deadline || outcome.isOverdue else { continue }
            if !outcome.isOverdue {
                outcome.isOverdue = true
                deadline = .now + Self.patience
                supervised.signal(CrashWatch.question)
            }
            if outcome.hasAnswered || ContinuousClock.now > deadline { supervised.end() }
        }
        while isOpen, Pipe.isReadable(channel, within: 0) { isOpen = read() }
        if let error = supervised.startError {
            throw SystemError(.run, "the process that runs modules", error)
        }
        outcome.take(supervised)
        outcome.refusals = refusals.told
        outcome.hasLeft = dialogue.hasLeft
        outcome.output = printed()
        return outcome
    }

    /// Reads one piece; returns `false` at the end of the channel.
    private func read() -> Bool {
        guard let piece = Pipe.read(channel, count: 16 << 10) else { return true }
        unread += piece
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            take(unread[..<end])
            unread.removeSubrange(...end)
        }
        if unread.count > Self.reportLimit { outcome.isForged = true }
        return !piece.isEmpty
    }

    /// Takes a line of the channel: a report that is due gets an answer, after a look at the process, which
    /// waits for it. Anything else that looks like a report was not written by the probe.
    private func take(_ line: ArraySlice<UInt8>) {
        guard !outcome.isForged else { return }
        guard line.first == UInt8(ascii: "{") else {
            if !outcome.addReport(line, limit: Self.reportLimit) { outcome.isForged = true }
            return
        }
        // The question itself can wake the process, and then it is too late for its answers.
        guard !outcome.isOverdue else { return }
        guard let (report, token) = ProbeReport.read(line), dialogue.accept(report, token) else {
            outcome.isForged = true
            return
        }
        let reported = ContinuousClock.now
        switch report {
        case .walled(let listener): decide(Int32(truncatingIfNeeded: listener))
        case .started(let check): outcome.events.append(.started(check, printed: printedSize))
        case .finished(let check, let conclusion):
            outcome.events.append(.finished(check, conclusion, printed: printedSize))
        case .reached(let moment):
            outcome.observation.printed[moment] = printedSize
            if moment != .loaded {
                outcome.observation.views[moment] =
                    supervised.shownIdentifier.flatMap(ProcessView.init)
            }
            outcome.observation.times[moment] = (reported, .now)
        case .leaving: return
        }
        SocketPair.send(Array("\(dialogue.token)\n".utf8), to: channel)
    }

    /// Begins to decide about the connections of the probe, which waits for that. If the system does not let this process
    /// decide, it refuses all of them.
    private func decide(_ listener: Int32) {
        guard let permissions, permissions.needsBroker, listener >= 0 else { return }
        while supervised.shownIdentifier == nil, !supervised.hasEnded { supervised.read() }
        guard let identifier = supervised.shownIdentifier else { return }
        let process = eaves_pidfd_open(Int32(identifier))
        defer { if process >= 0 { close(process) } }
        let refusals = refusals
        // The supervisor counts its processes.
        try? Broker.start(listener, of: process, permissions, processes: nil) { refusals.add($1) }
    }

    /// Waits until the channel or the supervisor can be read, for a short time in any case.
    private func isReady(
        _ isOpen: Bool, until deadline: ContinuousClock.Instant
    ) -> (channel: Bool, reports: Bool) {
        let time = max(1, min(50, (deadline - .now) / .milliseconds(1)))
        var watched = [
            pollfd(fd: supervised.reports, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isOpen ? channel : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&watched, 2, Int32(time.rounded(.up))) > 0 else { return (false, false) }
        return (watched[1].revents != 0, watched[0].revents != 0)
    }

    private var printedSize: Int {
        var status = stat()
        return fstat(output, &status) == 0 ? Int(status.st_size) : 0
    }

    private func printed() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(printedSize, Self.outputLimit))
        let count = pread(output, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}

/// The connections that a module was refused.
private final class Refusals: Sendable {
    private let words = Mutex<[String]>([])

    var told: [String] { words.withLock { $0 } }

    func add(_ refusal: String) { words.withLock { $0.append(refusal) } }
}
