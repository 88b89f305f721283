// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesCatalog
package import EavesDiagnostics
public import EavesHost
public import EavesLife
package import EavesManifest
import EavesModules
import EavesQuarantine
import EavesSystem
import Glibc

extension Host {
    /// Finds out whether modules keep their promises: checks their files, and then runs their code in processes of
    /// their own. A module that crashes, exits or hangs there is quarantined, and told as ``HostEvent/crashed(_:)``.
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
                only: checks, limit: limit, isWalled: isWalled)
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
                return verdict
            }
        }
    }
}

extension Host.Role {
    /// The process in which a program runs modules to verify them, for programs that call `Host.verify`.
    public static var judge: Host.Role {
        Host.Role { () throws(HostError) in VerificationProbe.runIfRequested() }
    }
}

/// The process in which a program runs modules to verify them: the program itself, started again.
package enum VerificationProbe {
    /// The word that makes the program a probe.
    static let word = "verify-probe"

    /// Runs a probe and ends the process, if a verifying process has started this one for that.
    package static func runIfRequested() {
        guard CommandLine.arguments.dropFirst().elementsEqual([word]), let probe = Probe() else {
            return
        }
        let module = probe.prepare()
        guard probe.launchesFeature else {
            probe.run(module)
            exit(0)
        }
        Task {
            await probe.runFeature(module)
            exit(0)
        }
        eaves_serve_main_queue()
    }
}

extension ModuleVerification {
    /// Quarantines the module if it crashed, ended the process or hung in a check that does what a host does.
    ///
    /// - Returns: Whether it is kept out because of this, and what is wrong with the quarantine.
    package func quarantine(in manifest: Manifest) -> (isKeptOut: Bool, problems: [Diagnostic]) {
        guard let crash, let reason = crash.death?.message(of: module.id) else {
            return (false, [])
        }
        do throws(QuarantineError) {
            let isKeptOut = try QuarantineStore(manifest.store).keepOut(
                module.suspect, because: "\(reason), in '\(crash.id)' of 'eaves verify'",
                since: WallClock.second)
            return (isKeptOut, [])
        } catch {
            return (false, error.diagnostics)
        }
    }
}
