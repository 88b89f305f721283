// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesLife
import EavesOutput
import EavesSystem

extension Subcommand {
    static let generations = Subcommand(
        name: "generations",
        summary: "show what running hosts have loaded",
        options: [.json, .manifest],
        discussion: """
            Asks each process that follows the modules of the manifest: shells, 'eaves launch --live', programs
            that follow. Shows each generation with its state and, if it serves no longer, how many of its
            instances live; what is on probation; and what the host has not taken on. Processes of other users
            are left out, unless root asks.
            """,
        run: .plain { try $0.generations() })
}

extension SubcommandCall {
    fileprivate func generations() throws {
        let (hosts, unknown) = try RunningHost.survey(of: options.manifest())
        let report = RunningHostsReport(hosts: hosts, unknown: unknown)
        try print(report.json, or: report.text)
        unknown.forEach(terminal.warn)
        for host in report.hosts where host.generations == nil {
            terminal.warn(
                Diagnostic(
                    "process \(host.process) does not answer",
                    fix: "let it go on if it is stopped, 'kill -CONT \(host.process)'; "
                        + "or ask again", code: .inputOutput))
        }
    }
}

/// The hosts of a manifest, as the command prints them.
struct RunningHostsReport {
    let hosts: [RunningHost]
    /// Why there may be hosts that are not known.
    var unknown: [Diagnostic] = []

    /// The line of a command that has found no host.
    static func none(_ unknown: [Diagnostic]) -> String {
        unknown.isEmpty
            ? "no running host follows this manifest"
            : "whether a host follows this manifest is not known"
    }

    var text: String {
        if hosts.isEmpty { return Self.none(unknown) + "\n" }
        return hosts.compactMap { host in
            host.generations.map { generations in
                "process \(host.process), \(host.program), since "
                    + "\(WallClock.text(of: host.since, isLocal: true)):\n"
                    + GenerationsReport(generations: generations).text + Self.notes(host)
            }
        }.joined(separator: "\n")
    }

    /// Lines about the trials of a host, about all that it does not take on, and about its last failed restart.
    private static func notes(_ host: RunningHost) -> String {
        var text = ""
        for trial in host.standing?.trials ?? [] {
            let share = trial.share.map { " with \(percent($0)) of the calls" } ?? ""
            let place = trial.service.map { ", for \($0)\(share)" } ?? ""
            text +=
                "on probation for \(trial.seconds) s: generation \(trial.generation) of \(trial.module)\(place): "
                + "\(trial.failedCalls) of \(trial.calls) calls failed\n"
        }
        let told = Set((host.generations ?? []).flatMap(\.problems))
        for problem in host.obstacles.flatMap(\.problems) where !told.contains(problem) {
            text += lines("not taken on", problem)
        }
        if let failed = host.standing?.failedRestart {
            let words = "not restarted at \(WallClock.text(of: failed.time, isLocal: true))"
            for problem in failed.problems { text += lines(words, problem) }
        }
        return text.isEmpty ? "" : "\n" + text
    }

    private static func lines(_ words: String, _ problem: Diagnostic) -> String {
        "\(words): \(problem.message)\n" + (problem.fix.map { "fix: \($0)\n" } ?? "")
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    var json: JSON {
        [
            "schema": 1, "unknown": .texts(unknown.map(\.message)),
            "hosts": .array(
                hosts.map { host in
                    let answered = host.generations != nil
                    return [
                        "process": .integer(Int(host.process)),
                        "program": answered ? .string(host.program) : .null,
                        "since": answered ? .integer(host.since) : .null,
                        "generations": host.generations.map {
                            .array(GenerationsReport(generations: $0).elements)
                        } ?? .null,
                        "obstacles": host.standing.map { .array($0.obstacles.map(Self.json)) }
                            ?? .null,
                        "trials": host.standing.map { .array($0.trials.map(\.json)) } ?? .null,
                        "waiting": host.standing.map { .bool($0.isWaiting) } ?? .null,
                        "failedRestart": host.standing?.failedRestart.map(Self.json) ?? .null,
                    ]
                }),
        ]
    }

    private static func json(_ obstacle: RunningHost.Standing.Obstacle) -> JSON {
        [
            "subject": obstacle.subject.isEmpty ? .null : .string(obstacle.subject),
            "problems": .array(obstacle.problems.map(json)),
        ]
    }

    private static func json(_ failed: RunningHost.Standing.FailedRestart) -> JSON {
        ["time": .integer(failed.time), "problems": .array(failed.problems.map(json))]
    }

    private static func json(_ problem: Diagnostic) -> JSON {
        ["message": .string(problem.message), "fix": .text(problem.fix)]
    }
}

/// The generations that a live host knows, as the shell prints them.
struct GenerationsReport {
    let generations: [HostGeneration]

    /// A table for a person, and below it the reason for each refusal.
    var text: String {
        if generations.isEmpty { return "no module is loaded\n" }
        let rows = generations.map { generation in
            [
                "\(generation.id)", generation.module, generation.version ?? "-",
                generation.state.rawValue,
                generation.hasLeft ? "\(generation.instances)" : "-",
            ]
        }
        let table = Table(["GENERATION", "MODULE", "VERSION", "STATE", "INSTANCES"], rows: rows)
        return ([table.text] + generations.compactMap(notes)).joined(separator: "\n")
    }

    private func notes(_ generation: HostGeneration) -> String? {
        if generation.problems.isEmpty { return nil }
        return "generation \(generation.id) of \(generation.module) was refused:\n"
            + generation.problems.map { problem in
                "  \(problem.message)\n" + (problem.fix.map { "  fix: \($0)\n" } ?? "")
            }.joined()
    }

    var json: JSON { ["schema": 1, "generations": .array(elements)] }

    var elements: [JSON] {
        generations.map { generation in
            [
                "number": .integer(generation.id),
                "module": .string(generation.module),
                "version": .text(generation.version),
                "state": .string(generation.state.rawValue),
                "problems": .array(generation.problems.map { .string($0.message) }),
                "instances": generation.hasLeft ? .integer(generation.instances) : .null,
            ]
        }
    }
}

extension HostGeneration {
    /// Whether it served once, and does not any more: only then are its instances counted.
    fileprivate var hasLeft: Bool { state == .draining || state == .retired }
}
