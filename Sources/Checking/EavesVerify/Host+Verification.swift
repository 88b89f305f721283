// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
public import EavesCatalog
public import EavesDiagnostics
public import EavesHost
public import EavesLife
package import EavesManifest
import EavesModules
import EavesQuarantine
import EavesSystem
import Glibc

extension Host {
    /// Finds out whether modules keep their promises: checks their files, and then runs their code in
    /// processes of their own. A module that crashes, exits or hangs there is quarantined, and told as
    /// ``HostEvent/crashed(_:)``.
    ///
    /// The processes are this program, started again: its `main` begins with `Host.begin(as: [.judge])`. Blocks the
    /// thread until all have ended.
    ///
    /// - Parameters:
    ///   - ids: The modules; all that are switched on, if empty.
    ///   - checks: The checks to report on, as `eaves verify --list-checks` names them; all if empty.
    ///   - limit: How long each check may take that runs a module's code.
    ///   - isWalled: Whether each module has only the rights that its permissions in the manifest list. An isolated
    ///     one has no others in any case.
    /// - Returns: A verdict for each module, in the order of the ids.
    /// - Throws: ``HostError`` if there is no such module or check, or if no process can be started.
    public func verify(
        _ ids: [String] = [], only checks: [String] = [], limit: Duration = .seconds(10),
        isWalled: Bool = false
    ) throws(HostError) -> [ModuleVerification] {
        try HostError.wrapping {
            let verification = try Verification(
                only: checks, command: VerificationProbe.command, limit: limit,
                isWalled: isWalled)
            let catalog = Catalog(manifest: manifest, profile: .current)
            let entries =
                try ids.isEmpty
                ? catalog.entries.filter(\.isEnabled) : ids.map { try entry($0) }
            // A last good file has been tried by those who ran it.
            return try entries.map(\.own).map { entry in
                let verdict = try verification.verdict(of: entry, in: manifest, among: catalog)
                for problem in verdict.quarantine(in: manifest).problems {
                    report(.warned(problem))
                }
                if let crash = verdict.crash, let death = crash.death {
                    report(
                        .crashed(
                            HostEvent.Crash(
                                module: entry.id, path: entry.path,
                                reason: death.message(of: entry.id))))
                }
                return ModuleVerification(verdict)
            }
        }
    }
}

extension Host.Role {
    /// The process in which a program runs modules to verify them, for programs that call `Host.verify`.
    public static var judge: Host.Role {
        Host.Role { () throws(HostError) in
            guard Array(CommandLine.arguments.dropFirst()) == [VerificationProbe.word],
                let probe = Probe()
            else { return }
            VerificationProbe.serve(probe)
        }
    }
}

/// The process in which a program runs modules to verify them: the program itself, started again.
package enum VerificationProbe {
    /// The word that makes the program a probe.
    package static let word = "verify-probe"

    /// The command line that starts a probe.
    package static var command: ProbeCommand { ProbeCommand("/proc/self/exe", [word]) }

    /// Runs a probe and ends the process.
    package static func serve(_ probe: Probe) -> Never {
        let module = probe.prepare()
        guard probe.launchesFeature else {
            probe.run(module)
            exit(0)
        }
        Task {
            await probe.runFeature(module)
            exit(0)
        }
        dispatch_main()
    }
}

/// The result of verifying a module.
public struct ModuleVerification: Sendable {
    /// The result of one check.
    public struct Check: Sendable {
        /// The outcome of a check. The words are those of `eaves verify --json`.
        public enum Outcome: String, Sendable {
            /// The module keeps the promise.
            case passed
            /// The module does not keep the promise.
            case failed
            /// The module passes, but its author should know this.
            case warned
            /// The check says nothing about this module.
            case skipped
        }

        /// The check's id, such as `registers`.
        public let id: String
        /// The subject of the check, in one line.
        public let meaning: String
        /// The outcome.
        public let outcome: Outcome
        /// The messages; empty if the check passed or was skipped.
        public let problems: [Diagnostic]
        /// The reason why it was skipped.
        public let reason: String?
    }

    /// The module as the catalog knows it.
    public let module: CatalogEntry
    /// The checks in the order of the list.
    public let checks: [Check]
    /// Whether its code had only the rights that its permissions list.
    public let isWalled: Bool
    /// Whether no check failed.
    public var isPassed: Bool { !checks.contains { $0.outcome == .failed } }

    init(_ verdict: ModuleVerdict) {
        module = verdict.entry
        isWalled = verdict.hasWall
        checks = verdict.checks.map { check in
            Check(
                id: check.id, meaning: check.meaning,
                outcome: Check.Outcome(rawValue: check.outcome.rawValue) ?? .skipped,
                problems: check.diagnostics, reason: check.reason)
        }
    }
}

extension ModuleVerdict {
    /// Quarantines the module if it crashed, ended the process or hung in a check that does what a host does.
    ///
    /// - Returns: Whether it is kept out because of this, and what is wrong with the quarantine.
    package func quarantine(in manifest: Manifest) -> (isKeptOut: Bool, problems: [Diagnostic]) {
        guard let crash, let reason = crash.death?.message(of: entry.id) else {
            return (false, [])
        }
        do throws(QuarantineError) {
            let isKeptOut = try QuarantineStore(manifest.store).keepOut(
                entry.suspect, because: "\(reason), in '\(crash.id)' of 'eaves verify'",
                since: WallClock.second)
            return (isKeptOut, [])
        } catch {
            return (false, error.diagnostics)
        }
    }
}
