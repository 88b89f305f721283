// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesJSON
package import EavesManifest
import EavesRegistry
package import EavesSystem

/// A process that follows the modules of a manifest, as another process of the same user sees it.
package struct RunningHost: Hashable, Sendable {
    /// The number of the process; 0 for one in another container, which this process cannot see.
    package let process: Int32
    /// The command line that it was started with; empty if it did not answer.
    package let program: String
    /// When it began to follow, in seconds since 1970; 0 if it did not answer.
    package let since: Int
    /// The generations that it has loaded or refused, in the order of their numbers; `nil` if it did not answer
    /// in time.
    package let generations: [HostGeneration]?
    /// How far it has taken on what the disk wants; `nil` if it did not answer in time, or is of a version that does not
    /// say.
    package let standing: Standing?
    /// The process that it took over from; `nil` if it was started otherwise.
    package var predecessor: Int32?

    /// A process that takes no connections, or sends nothing.
    package static func silent(_ process: Int32) -> RunningHost {
        RunningHost(process: process, program: "", since: 0, generations: nil, standing: nil)
    }
}

// The text that a host sends. Both ends are Eaves, but not always of the same version: members may be added, and
// a reader leaves out what it does not know.
extension RunningHost {
    package static func report(
        program: String, since: Int, _ generations: [HostGeneration], _ standing: Standing,
        predecessor: Int32? = nil
    ) -> [UInt8] {
        let report: JSON = [
            "schema": 1, "program": .string(program), "since": .integer(since),
            "generations": .array(generations.map(json)), "standing": standing.json,
            "predecessor": predecessor.map { .integer(Int($0)) } ?? .null,
        ]
        return Array(report.text(pretty: false).utf8)
    }

    package init?(report: [UInt8], of process: Int32) {
        guard let node = try? JSONNode.parse(report), node["schema"]?.integer == 1,
            let program = node["program"]?.string, let since = node["since"]?.integer,
            let generations = node["generations"]?.elements
        else { return nil }
        self.init(
            process: process, program: program, since: since,
            generations: generations.compactMap(Self.generation),
            standing: Standing(node["standing"]),
            predecessor: node["predecessor"]?.integer.flatMap { Int32(exactly: $0) })
    }

    private static func json(_ generation: HostGeneration) -> JSON {
        [
            "number": .integer(generation.id), "module": .string(generation.module),
            "version": .text(generation.version),
            "state": .string(generation.state.rawValue),
            "problems": .array(
                generation.problems.map(json)),
            "instances": .integer(generation.instances),
        ]
    }

    private static func generation(_ node: JSONNode) -> HostGeneration? {
        guard let number = node["number"]?.integer, let module = node["module"]?.string,
            let state = node["state"]?.string.flatMap(HostGeneration.State.init)
        else { return nil }
        return HostGeneration(
            id: number, module: module, version: node["version"]?.string, state: state,
            problems: (node["problems"]?.elements ?? []).compactMap(problem),
            instances: node["instances"]?.integer ?? 0)
    }

    static func json(_ problem: Diagnostic) -> JSON {
        [
            "message": .string(problem.message),
            "fix": .text(problem.fix),
            "code": .integer(Int(problem.code.rawValue)),
        ]
    }

    static func problem(_ node: JSONNode) -> Diagnostic? {
        guard let message = node["message"]?.string else { return nil }
        let code = node["code"]?.integer.flatMap { FailureCode(rawValue: Int32(clamping: $0)) }
        return Diagnostic(message, fix: node["fix"]?.string, code: code ?? .crashed)
    }
}

extension RunningHost {
    /// How far a host has taken on what the disk wants.
    package struct Standing: Hashable, Sendable {
        /// Something that the disk wants and the host has not taken on: what was before serves on.
        package struct Obstacle: Hashable, Sendable {
            /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
            package let subject: String
            package let problems: [Diagnostic]
        }

        /// Something that was swapped and that the host still judges.
        package struct Trial: Hashable, Sendable {
            package let module: String
            package let generation: Int
            /// The service that was bound to it or that it shares; `nil` for a new file.
            package let service: String?
            /// Its share of the calls, from 0 to 1, if it is a canary; else `nil`.
            package let share: Double?
            package let calls: Int
            package let failedCalls: Int
            /// How long it has been judged, in seconds.
            package let seconds: Int

            package var json: JSON {
                [
                    "module": .string(module), "generation": .integer(generation),
                    "service": .text(service), "share": share.map { .number($0) } ?? .null,
                    "calls": .integer(calls), "failedCalls": .integer(failedCalls),
                    "seconds": .integer(seconds),
                ]
            }
        }

        /// A fresh process that was to take over from the host, and did not come up.
        package struct FailedRestart: Hashable, Sendable {
            /// When the host gave it up, in seconds since 1970.
            package let time: Int
            package let problems: [Diagnostic]

            package init(time: Int, problems: [Diagnostic]) {
                self.time = time
                self.problems = problems
            }
        }

        package let obstacles: [Obstacle]
        /// Whether the host tries again by itself: calls have to end first, or a file to be complete.
        package let isWaiting: Bool
        package let trials: [Trial]
        /// The last restart that failed, after which this process served on; `nil` if none has.
        package let failedRestart: FailedRestart?
        /// The identity of the manifest that the host has looked at last.
        let manifest: String
    }
}

extension RunningHost.Standing {
    package func knows(_ manifest: Manifest) -> Bool {
        self.manifest == manifest.fileIdentity.text
    }

    package init(_ running: Running, at now: ContinuousClock.Instant = .now) {
        obstacles = running.obstacles
        isWaiting = running.hasUnfinished || !running.nextTries.isEmpty
        trials = running.trials.map { item in
            var share: Double?
            if case .canary = item.cause { share = item.probation.share }
            let calls = item.probation.calls(item.account.tally)
            return Trial(
                module: item.module, generation: item.number, service: item.service?.key.word.text,
                share: share, calls: calls.calls, failedCalls: calls.errors,
                seconds: Int(item.probation.time(at: now).components.seconds))
        }
        .sorted { ($0.generation, $0.service ?? "") < ($1.generation, $1.service ?? "") }
        failedRestart = running.failedRestart
        manifest = running.manifest.identity.text
    }
}

extension Manifest {
    /// The identity of the manifest's file as it is on the disk now.
    package var fileIdentity: FileIdentity {
        (try? FileStatus(path: path)).map { FileIdentity($0) } ?? .none
    }
}

// The part of a host's text about how far it is.
extension RunningHost.Standing {
    var json: JSON {
        [
            "manifest": .string(manifest), "waiting": .bool(isWaiting),
            "obstacles": .array(
                obstacles.map { obstacle in
                    [
                        "subject": .string(obstacle.subject),
                        "problems": .array(obstacle.problems.map(RunningHost.json)),
                    ]
                }),
            "trials": .array(trials.map(\.json)),
            "failedRestart": failedRestart.map { failed in
                [
                    "time": .integer(failed.time),
                    "problems": .array(failed.problems.map(RunningHost.json)),
                ]
            } ?? .null,
        ]
    }

    /// - Returns: `nil` for a host of an older version, which does not say.
    init?(_ node: JSONNode?) {
        guard let node, let manifest = node["manifest"]?.string,
            let isWaiting = node["waiting"]?.bool
        else { return nil }
        self.manifest = manifest
        self.isWaiting = isWaiting
        obstacles = (node["obstacles"]?.elements ?? []).compactMap { node in
            guard let subject = node["subject"]?.string else { return nil }
            return Obstacle(
                subject: subject,
                problems: (node["problems"]?.elements ?? []).compactMap(RunningHost.problem))
        }
        trials = (node["trials"]?.elements ?? []).compactMap { node in
            guard let module = node["module"]?.string, let generation = node["generation"]?.integer,
                let calls = node["calls"]?.integer, let failedCalls = node["failedCalls"]?.integer,
                let seconds = node["seconds"]?.integer
            else { return nil }
            return Trial(
                module: module, generation: generation, service: node["service"]?.string,
                share: node["share"]?.real, calls: calls, failedCalls: failedCalls, seconds: seconds
            )
        }
        // An older host that answers says nothing of it.
        let failed = node["failedRestart"]
        failedRestart = failed?["time"]?.integer.map { time in
            FailedRestart(
                time: time,
                problems: (failed?["problems"]?.elements ?? []).compactMap(RunningHost.problem))
        }
    }
}
