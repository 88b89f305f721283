// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesIsolation
import EavesLoader
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Runs a probe as a child process and collects its reports, its output, its end, and what can be seen of it from
/// outside. This process runs no code of the module.
final class ProbeProcess {
    private let child: ChildProcess
    private let program: GuardedProgram
    private let channel: Int32
    private let output: OpenFile
    private var unread = FrameBuffer(limit: ProbeProcess.reportLimit)
    private var dialogue: ProbeDialogue
    private var outcome = ProbeOutcome()
    /// The rights of the module; `nil` if it has those of the user.
    private let permissions: Permissions?
    private let refusals = Refusals()

    /// The time for a process to answer when it is asked what it is doing.
    private static let patience = Duration.seconds(5)
    /// The further time until a probe begins its first check: that is not the module's time.
    private static let startLimit = Duration.seconds(60)
    /// The part of the printed text that is kept. In bytes.
    private static let outputLimit = 1 << 20
    /// The largest report of the crash handler. In bytes.
    private static let reportLimit = 1 << 20

    /// Runs a probe to its end. When the call returns, nothing runs any more that the probe has started.
    static func run(
        _ executable: String, _ arguments: [String], _ request: ProbeRequest? = nil,
        limit: Duration
    ) throws(SystemError) -> ProbeOutcome {
        var limits = GuardedProgram.Limits.usual
        // Threads share the time, so it is a multiple of that which is measured.
        limits.time = min(limits.time, (limit + patience) * ((request?.checks.count ?? 0) + 1) * 16)
        return try ProbeProcess(executable, arguments, request, limits).wait(limit: limit)
    }

    private init(
        _ executable: String, _ arguments: [String], _ request: ProbeRequest?,
        _ limits: GuardedProgram.Limits
    ) throws(SystemError) {
        output = try MemoryFile.open("eaves-probe")
        let sockets = try LocalSocket.pair(for: .run, executable)
        channel = sockets.own
        permissions = request?.permissions
        dialogue = ProbeDialogue(checks: request?.checks ?? [], isWalled: permissions != nil)
        outcome.secret = dialogue.secret
        defer { close(sockets.other) }
        let command = ChildCommand(
            executable, arguments, environment: Wall.environment(permissions))
        do throws(SystemError) {
            let printed = ChildCommand.Stream.descriptor(output.descriptor)
            program = try GuardedProgram(
                command, [.empty, printed, printed, .descriptor(sockets.other)],
                as: .judge(limits, .all))
            child = ChildProcess(keptBy: program)
        } catch {
            close(channel)
            throw error
        }
        if let request {
            send(ProbeOpening(request: request, secret: dialogue.secret, token: dialogue.token))
        }
    }

    private func send(_ value: some Encodable) {
        LocalSocket.sendAtOnce((try? Frame.bytes(of: value)) ?? [], to: channel)
    }

    deinit { close(channel) }

    private func wait(limit: Duration) -> ProbeOutcome {
        let startTime = dialogue.hasChecks ? Self.startLimit : .zero
        var deadline = ContinuousClock.now + limit + startTime
        var isOpen = true
        while true {
            let ready = isReady(isOpen, until: deadline)
            if child.poll(waits: ready.hasEnded) != nil { break }
            if ready.channel {
                let known = outcome.events.count
                isOpen = read()
                if outcome.events.count > known, !outcome.isOverdue { deadline = .now + limit }
            }
            if outcome.isForged { child.signal(SIGKILL) }
            guard ContinuousClock.now > deadline || outcome.isOverdue else { continue }
            if !outcome.isOverdue {
                outcome.isOverdue = true
                deadline = .now + Self.patience
                program.signal(CrashWatch.question)
            }
            if outcome.hasAnswered || ContinuousClock.now > deadline {
                child.signal(SIGKILL)
            }
        }
        while isOpen, Pipe.isReadable(channel, within: 0) { isOpen = read() }
        outcome.take(program)
        outcome.refusals = refusals.told
        outcome.hasLeft = dialogue.hasLeft
        outcome.output = (try? output.bytes(at: 0, count: min(printedSize, Self.outputLimit))) ?? []
        return outcome
    }

    /// Reads one piece; returns `false` at the end of the channel.
    private func read() -> Bool {
        guard let piece = Pipe.read(channel, count: 16 << 10) else { return true }
        unread.append(piece)
        while !outcome.isForged, takeNext() {}
        if unread.count > Self.reportLimit { outcome.isForged = true }
        return !piece.isEmpty
    }

    /// Takes a line of the crash handler, or a report; returns `false` if neither has come as a whole.
    private func takeNext() -> Bool {
        guard unread.first == Frame.version else {
            guard let line = unread.nextLine() else { return false }
            if !outcome.addReport(line[...], limit: Self.reportLimit) { outcome.isForged = true }
            return true
        }
        do throws(FrameError) {
            guard let content = try unread.next() else { return false }
            take(content)
        } catch {
            outcome.isForged = true
        }
        return true
    }

    /// Takes a report: one that is due gets an answer, after a look at the process, which waits for it. Anything else that
    /// looks like a report was not written by the probe.
    private func take(_ content: ArraySlice<UInt8>) {
        // The question itself can wake the process, and then it is too late for its answers.
        guard !outcome.isOverdue else { return }
        guard let message = try? Frame.value(ProbeMessage.self, in: content),
            dialogue.accept(message.report, message.token)
        else {
            outcome.isForged = true
            return
        }
        let report = message.report
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
                    ProcessView(Int(program.process))
            }
            outcome.observation.times[moment] = (reported, .now)
        case .leaving: return
        }
        send(dialogue.token)
    }

    /// Begins to decide about the connections of the probe, which waits for that. If the system does not let this process
    /// decide, it refuses all of them.
    private func decide(_ listener: Int32) {
        guard let permissions, permissions.needsBroker, listener >= 0 else { return }
        let process = program.openHandle()
        defer { if process >= 0 { close(process) } }
        let refusals = refusals
        // The guardian counts its processes.
        try? Broker.start(listener, of: process, permissions, processes: nil) { refusals.add($1) }
    }

    /// Waits until the channel can be read or the guardian has ended, for a short time in any case.
    private func isReady(
        _ isOpen: Bool, until deadline: ContinuousClock.Instant
    ) -> (channel: Bool, hasEnded: Bool) {
        let time = max(1, min(50, (deadline - .now) / .milliseconds(1)))
        var watched = [
            pollfd(fd: program.lifeline, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isOpen ? channel : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&watched, 2, Int32(time.rounded(.up))) > 0 else { return (false, false) }
        return (watched[1].revents != 0, watched[0].revents != 0)
    }

    private var printedSize: Int { (try? output.status())?.size ?? 0 }

}

/// The connections that a module was refused.
private final class Refusals: Sendable {
    private let words = Mutex<[String]>([])

    var told: [String] { words.withLock { $0 } }

    func add(_ refusal: String) { words.withLock { $0.append(refusal) } }
}
