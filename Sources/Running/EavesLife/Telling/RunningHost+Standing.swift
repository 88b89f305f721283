// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesManifest
import EavesRegistry
import EavesSystem

extension RunningHost {
    /// How far a host has taken on what the disk wants.
    package struct Standing: Hashable, Sendable {
        /// Something that the disk wants and the host has not taken on: what was before serves on.
        package struct Obstacle: Hashable, Sendable {
            /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
            package let subject: String
            /// The reasons.
            package let problems: [Diagnostic]
        }

        /// Something that was swapped and that the host still judges.
        package struct Trial: Hashable, Sendable {
            /// The id of the module.
            package let module: String
            /// The number of its generation.
            package let generation: Int
            /// The service that was bound to it or that it shares; `nil` for a new file.
            package let service: String?
            /// Its share of the calls, from 0 to 1, if it is a canary; else `nil`.
            package let share: Double?
            /// How many calls were judged.
            package let calls: Int
            /// How many of them failed.
            package let failedCalls: Int
            /// How long it has been judged, in seconds.
            package let seconds: Int
        }

        /// A fresh process that was to take over from the host, and did not come up.
        package struct FailedRestart: Hashable, Sendable {
            /// When the host gave it up, in seconds since 1970.
            package let time: Int
            /// The reasons.
            package let problems: [Diagnostic]

            package init(time: Int, problems: [Diagnostic]) {
                self.time = time
                self.problems = problems
            }
        }

        /// Everything that is not taken on.
        package let obstacles: [Obstacle]
        /// Whether the host tries again by itself: calls have to end first, or a file to be complete.
        package let isWaiting: Bool
        /// Everything that is on probation.
        package let trials: [Trial]
        /// The last restart that failed, after which this process served on; `nil` if none has.
        package let failedRestart: FailedRestart?
        /// The identity of the manifest that the host has looked at last.
        let manifest: String
    }
}

extension RunningHost.Standing {
    /// Whether the host has looked at the manifest as it is on the disk now.
    package func knows(_ manifest: Manifest) -> Bool {
        self.manifest == Self.identity(of: manifest.path)
    }

    static func identity(of path: String) -> String {
        ((try? FileStatus(path: path)).map { FileIdentity($0) } ?? .none).text
    }

    /// How far a host is, in its own memory.
    package init(_ running: Running, at now: ContinuousClock.Instant = .now) {
        obstacles = running.obstacles.map { obstacle in
            Obstacle(
                subject: obstacle.subject, problems: obstacle.problems
            )
        }
        isWaiting = running.hasUnfinished || !running.nextTries.isEmpty
        trials = running.standing(at: now)
        failedRestart = running.failedRestart
        manifest = running.manifest.identity.text
    }
}

extension Running {
    /// The trials as others see them, by the numbers of the generations.
    fileprivate func standing(at now: ContinuousClock.Instant) -> [RunningHost.Standing.Trial] {
        trials.map { item in
            var share: Double?
            if case .canary = item.cause { share = item.probation.share }
            let calls = item.probation.calls(item.account.tally)
            return RunningHost.Standing.Trial(
                module: item.module, generation: item.number, service: item.service?.key.word.text,
                share: share,
                calls: calls.calls, failedCalls: calls.errors,
                seconds: Int(item.probation.time(at: now).components.seconds))
        }
        .sorted { ($0.generation, $0.service ?? "") < ($1.generation, $1.service ?? "") }
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
            "trials": .array(
                trials.map { trial in
                    [
                        "module": .string(trial.module), "generation": .integer(trial.generation),
                        "service": trial.service.map { .string($0) } ?? .null,
                        "share": trial.share.map { .number($0) } ?? .null,
                        "calls": .integer(trial.calls), "failedCalls": .integer(trial.failedCalls),
                        "seconds": .integer(trial.seconds),
                    ]
                }),
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
