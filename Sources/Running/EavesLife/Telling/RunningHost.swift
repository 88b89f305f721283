// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesJSON
package import EavesManifest
import EavesProcess
import EavesRegistry
package import EavesSystem

/// A process that follows the modules of a manifest, as another process of the same user sees it.
package struct RunningHost: Hashable, Codable, Sendable {
    /// The number of the process; 0 for one in another container, which this process cannot see.
    package private(set) var process: Int32
    /// The command line that it was started with; empty if it did not answer.
    package let program: String
    /// When it began to follow, in seconds since 1970; 0 if it did not answer.
    package let since: Int
    /// The generations that it has loaded or refused, in the order of their numbers; `nil` if it did not answer
    /// in time.
    package let generations: [HostGeneration]?
    /// How far it has taken on what the disk wants; `nil` if it did not answer in time.
    package let standing: Standing?
    /// The process that it took over from; `nil` if it was started otherwise.
    package var predecessor: Int32?

    /// A process that takes no connections, or sends nothing.
    package static func silent(_ process: Int32) -> RunningHost {
        RunningHost(process: process, program: "", since: 0, generations: nil, standing: nil)
    }
}

// The message that a host sends. Both ends are Eaves, but not always of the same version: a reader leaves out members that
// it does not know, and an added one has to be optional.
extension RunningHost {
    /// The frame; empty if it cannot be coded.
    package static func report(
        program: String, since: Int, _ generations: [HostGeneration], _ standing: Standing,
        predecessor: Int32? = nil
    ) -> [UInt8] {
        let host = RunningHost(
            process: 0, program: program, since: since, generations: generations,
            standing: standing, predecessor: predecessor)
        return (try? Frame.bytes(of: host)) ?? []
    }

    /// - Parameter process: The number of the process that has sent the frame, as this one sees it.
    package init?(report: [UInt8], of process: Int32) {
        guard report.first == Frame.version,
            let host = try? Frame.value(Self.self, in: report.dropFirst(Frame.headSize))
        else { return nil }
        self = host
        self.process = process
    }
}

extension RunningHost {
    /// How far a host has taken on what the disk wants.
    package struct Standing: Hashable, Codable, Sendable {
        /// Something that the disk wants and the host has not taken on: what was before serves on.
        package struct Obstacle: Hashable, Codable, Sendable {
            /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
            package let subject: String
            package let problems: [Diagnostic]
        }

        /// Something that was swapped and that the host still judges.
        package struct Trial: Hashable, Codable, Sendable {
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
        package struct FailedRestart: Hashable, Codable, Sendable {
            /// When the host gave it up, in seconds since 1970.
            package let time: Int
            package let problems: [Diagnostic]
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
