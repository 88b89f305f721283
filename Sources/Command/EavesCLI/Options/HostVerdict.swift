// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesLife
import EavesManifest
import EavesOutput
import Glibc

/// The option `--wait` of a command that edits the manifest: the command ends when running hosts have taken the edit on,
/// with their verdict.
struct HostVerdict {
    static let option = OptionSpec(
        "wait", value: "SECONDS", isValueOptional: true,
        help: "end when running hosts have taken it on, within 30 s by default")

    /// How long to wait; `nil` without the option.
    private let limit: Duration?

    init(_ options: ParsedOptions) throws(CommandError) {
        guard let text = options.value(Self.option) else {
            limit = nil
            return
        }
        guard !text.isEmpty else {
            limit = .seconds(30)
            return
        }
        guard let seconds = Double(text), (0...86_400).contains(seconds) else {
            throw .badNumber("--wait", "seconds, from 0 to 86400", found: text, as: "--wait=30")
        }
        limit = .seconds(seconds)
    }

    /// Edits the manifest, and waits if that is wanted.
    ///
    /// - Parameter subjects: The services and modules that the edit is about. Obstacles that were there before and are
    ///   about others do not count.
    /// - Throws: ``CommandError/invalid(_:)`` with the reasons of running hosts, besides the errors of the edit.
    func after(
        _ manifest: Manifest, _ subjects: [String], _ terminal: Terminal, _ edit: () throws -> Void
    ) throws {
        guard let limit else { return try edit() }
        let before = try RunningHost.survey(of: manifest).hosts
        let known = Dictionary(
            before.map { ($0.process, Set($0.obstacles)) }, uniquingKeysWith: { $1 })
        try edit()
        var seen = before
        let (hosts, unknown) = try wait(until: .now + limit, manifest, noting: &seen)
        var reasons = RunningHost.gone(before, of: seen, leaving: hosts).map { host in
            Diagnostic(
                "\(host.words) has ended, and may have crashed with it",
                fix: "see which module crashed with 'eaves quarantine', and what it has printed",
                code: .crashed)
        }
        for host in hosts {
            let obstacles = host.obstacles(about: subjects, besides: known[host.process] ?? [])
            reasons += obstacles.flatMap(\.problems).map(host.diagnostic)
            if !host.isDone(with: manifest) {
                reasons.append(
                    Diagnostic(
                        "\(host.words) has not taken it on within \(limit)",
                        fix: "see what it does with 'eaves generations', or wait longer",
                        code: .temporary))
            }
        }
        guard reasons.isEmpty else { throw CommandError.invalid(reasons) }
        let done = hosts.count == 1 ? "1 running host has" : "\(hosts.count) running hosts have"
        terminal.say(
            hosts.isEmpty ? RunningHostsReport.none(unknown) : "\(done) taken it on")
        unknown.forEach(terminal.warn)
    }

    /// Asks the running hosts until none is on its way, or the time is over.
    ///
    /// - Parameter seen: Receives all hosts that were there meanwhile.
    private func wait(
        until deadline: ContinuousClock.Instant, _ manifest: Manifest,
        noting seen: inout [RunningHost]
    ) throws -> (hosts: [RunningHost], unknown: [Diagnostic]) {
        while true {
            let found = try RunningHost.survey(of: manifest)
            seen += found.hosts
            guard found.hosts.contains(where: { !$0.isDone(with: manifest) }), deadline > .now
            else { return found }
            poll(nil, 0, 50)
        }
    }
}

extension RunningHost {
    var words: String { program.isEmpty ? "process \(process)" : "process \(process), \(program)," }

    /// Returns the hosts of an earlier time that are gone, and that have left their work to no other one.
    ///
    /// - Parameters:
    ///   - seen: All hosts that were there since.
    ///   - hosts: The hosts that are there now.
    static func gone(
        _ before: [RunningHost], of seen: [RunningHost], leaving hosts: [RunningHost]
    ) -> [RunningHost] {
        var present = Set(hosts.map(\.process))
        // The later ones last: each leads to the one that it took over from.
        for host in seen.reversed() where present.contains(host.process) {
            if let predecessor = host.predecessor { present.insert(predecessor) }
        }
        // A process of another container has no number here.
        return before.filter { $0.process != 0 && !present.contains($0.process) }
    }

    /// Everything that the disk wants and the host does not take on.
    var obstacles: [Standing.Obstacle] { standing?.obstacles ?? [] }

    /// The obstacles that count for an edit: those to the manifest as a whole or to its subjects, and those that are new.
    func obstacles(
        about subjects: [String], besides known: Set<Standing.Obstacle>
    ) -> [Standing.Obstacle] {
        obstacles.filter { obstacle in
            obstacle.subject.isEmpty || subjects.contains(obstacle.subject)
                || !known.contains(obstacle)
        }
    }

    /// A reason why the host does not take something on, for a message.
    func diagnostic(_ problem: Diagnostic) -> Diagnostic {
        problem.behind("\(words) has not taken it on: ")
    }

    /// Whether the host has looked at the manifest as it is now, and waits for nothing. One of an earlier version does not
    /// say, and no command waits for it.
    fileprivate func isDone(with manifest: Manifest) -> Bool {
        guard generations != nil else { return false }
        return standing.map { $0.knows(manifest) && !$0.isWaiting } ?? true
    }
}
