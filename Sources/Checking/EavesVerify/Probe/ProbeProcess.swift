// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesIsolation
import EavesLoader
import EavesProcess
import EavesSystem
import Glibc

/// Runs a probe as a child process and collects its reports, its output, its end, and what can be seen of it from
/// outside. This process runs no code of the module.
final class ProbeProcess {
    private let program: StartedProgram
    private let channel: LocalSocket
    private let output: OpenFile
    private let limit: Duration
    private var deadline = ContinuousClock.now
    private var unread = FrameBuffer(limit: ProbeProcess.reportLimit)
    private var dialogue: ProbeDialogue
    private var outcome: ProbeOutcome
    /// The connections that the module was refused.
    private let refusals = Shared<[String]>([])
    private var broker: Broker?
    /// The folder for the temporary files of a module behind its wall.
    private var space: TemporarySpace?

    /// The time for a process to answer when it is asked what it is doing.
    private static let patience = Duration.seconds(5)
    /// The further time until a probe begins its first check: that is not the module's time.
    private static let startLimit = Duration.seconds(60)
    /// The part of the printed text that is kept. In bytes.
    private static let outputLimit = 1 << 20
    /// The largest report of a check. In bytes.
    private static let reportLimit = 1 << 20

    /// Runs a probe to its end. When the call returns, nothing runs any more that the probe has started.
    ///
    /// - Parameter command: By default, this program in the role of a probe.
    static func run(
        _ request: ProbeRequest?, limit: Duration, as command: ChildCommand? = nil
    ) throws(SystemError) -> ProbeOutcome {
        var limits = GuardedProgram.Limits.usual
        // Threads share the time, so it is a multiple of that which is measured.
        limits.time = min(limits.time, (limit + patience) * ((request?.checks.count ?? 0) + 1) * 16)
        let space = request?.permissions == nil ? nil : try TemporarySpace()
        let usual = StartedProgram.command(
            VerificationProbe.word, Wall.environment(request?.permissions, space))
        let process = try ProbeProcess(command ?? usual, request, limits, limit)
        if let request { process.begin(request, space) }
        return process.wait()
    }

    private init(
        _ command: ChildCommand, _ request: ProbeRequest?, _ limits: GuardedProgram.Limits,
        _ limit: Duration
    ) throws(SystemError) {
        self.limit = limit
        output = try MemoryFile.open("eaves-probe")
        dialogue = ProbeDialogue(checks: request?.checks ?? [])
        outcome = ProbeOutcome(secret: dialogue.secret)
        program = try StartedProgram(
            command, as: .judge(limits, .all),
            printingTo: [output.descriptor, output.descriptor])
        channel = LocalSocket(descriptor: program.takeChannel())
    }

    /// Sends the request, and begins to decide about the connections of the probe, if it may have any. If the system does not
    /// let this process decide, it refuses all of them.
    private func begin(_ request: ProbeRequest, _ space: TemporarySpace?) {
        send(ProbeOpening(request: request, secret: dialogue.secret, token: dialogue.token))
        self.space = space
        guard let permissions = request.permissions, let space else { return }
        let refusals = refusals
        // The guardian sees to its limits.
        broker = try? Broker.start(
            for: program, on: channel.descriptor, permissions, within: Self.startLimit, space, nil
        ) { refusals.value.append($1) }
    }

    private func send(_ value: some Encodable) {
        LocalSocket.sendAtOnce((try? Frame.bytes(of: value)) ?? [], to: channel.descriptor)
    }

    private func wait() -> ProbeOutcome {
        deadline = .now + limit + (dialogue.hasChecks ? Self.startLimit : .zero)
        var isOpen = true
        while true {
            let ready = isReady(isOpen)
            if ready.reports { readReports() }
            if ready.channel { isOpen = read() }
            if ready.hasEnded { break }
            if outcome.isForged { program.kill() }
            guard ContinuousClock.now > deadline || outcome.isOverdue else { continue }
            if !outcome.isOverdue {
                outcome.isOverdue = true
                deadline = .now + Self.patience
                program.signal(CrashWatch.question)
            }
            if outcome.crash.isWhole || ContinuousClock.now > deadline { program.kill() }
        }
        outcome.end = program.ended()
        broker?.end()
        while isOpen, Pipe.isReadable(channel.descriptor, within: 0) { isOpen = read() }
        while program.reports >= 0, Pipe.isReadable(program.reports, within: 0) { readReports() }
        outcome.refusals = refusals.value
        outcome.hasLeft = dialogue.hasLeft
        outcome.output = (try? output.bytes(at: 0, count: min(printedSize, Self.outputLimit))) ?? []
        return outcome
    }

    private func readReports() {
        if !outcome.crash.append(program.readReport()) { outcome.isForged = true }
    }

    /// Reads one piece; returns `false` at the end of the channel.
    private func read() -> Bool {
        guard let piece = Pipe.read(channel.descriptor, count: 16 << 10) else { return true }
        unread.append(piece)
        do throws(FrameError) {
            while !outcome.isForged, let content = try unread.next() { take(content) }
        } catch {
            outcome.isForged = true
        }
        return !piece.isEmpty
    }

    /// Takes a report: one that is due gets an answer, after a look at the process, which waits for it. Anything else was not
    /// written by the probe.
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
        case .started(let check):
            outcome.checks.append(ProbedCheck(id: check, start: printedSize))
            deadline = reported + limit
        case .finished(_, let conclusion):
            outcome.checks[outcome.checks.count - 1].conclusion = conclusion
            outcome.checks[outcome.checks.count - 1].end = printedSize
            deadline = reported + limit
        case .reached(let moment):
            outcome.observation.printed[moment] = printedSize
            if moment != .loaded {
                outcome.observation.views[moment] = ProcessView(Int(program.process))
            }
            outcome.observation.times[moment] = (reported, .now)
        case .leaving: return
        }
        send(dialogue.token)
    }

    /// Waits until the channel or the reports can be read or all has ended, for a short time in any case.
    private func isReady(_ isOpen: Bool) -> (channel: Bool, reports: Bool, hasEnded: Bool) {
        let time = max(1, min(50, (deadline - .now) / .milliseconds(1)))
        var watched = [isOpen ? channel.descriptor : -1, program.reports, program.lifeline].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&watched, 3, Int32(time.rounded(.up))) > 0 else { return (false, false, false) }
        let ready = watched.map { $0.revents != 0 }
        return (ready[0], ready[1], ready[2])
    }

    private var printedSize: Int { (try? output.status())?.size ?? 0 }
}
