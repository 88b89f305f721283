// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesSystem
import EavesVerify

/// `eaves verify [FILE-OR-ID…]`
struct VerifyCommand: ImmediateSubcommand {
    static let name = "verify"
    static let summary = "find out whether modules keep their promises"
    static let operands = "[FILE-OR-ID…]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.json, only, timeout, listChecks, .manifest]
    static let discussion = """
        Looks at each module's file, and then runs its code in a process of its own: loads it, lets
        it register, makes and drops its services, asks its features for help. Without operands: all
        modules of the manifest. A module that crashes there is quarantined.
        """

    private static let only = OptionSpec(
        "only", value: "ID", help: "report on this check alone; may be given several times")
    private static let timeout = OptionSpec(
        "timeout", value: "SECONDS", help: "how long each check may take; 10 if not given")
    private static let listChecks = OptionSpec("list-checks", help: "show all checks and end")

    private let options: ParsedOptions
    private let limit: Duration

    init(_ options: ParsedOptions) throws {
        self.options = options
        guard let text = options.value(Self.timeout) else {
            limit = .seconds(10)
            return
        }
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw TimeoutFault(found: text)
        }
        limit = .seconds(seconds)
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        if options.has(Self.listChecks) {
            let list = CheckListReport()
            try options.has(.json) ? terminal.write(list.json) : terminal.write(list.text)
            return 0
        }
        let verification = try Verification(
            only: options.allValues(Self.only),
            command: ProbeCommand("/proc/self/exe", [VerifyProbeCommand.name]), limit: limit)
        let modules = try VerifiedModules(options)
        var report = VerifyReport(showsAll: !options.operands.isEmpty)
        for entry in modules.entries {
            let verdict = try verification.verdict(
                of: entry, in: modules.manifest, among: modules.catalog)
            report.verdicts.append(verdict)
            if !options.has(.json) { try terminal.write(report.text(of: verdict)) }
            try terminal.console.flush()
            quarantine(verdict, modules, terminal)
        }
        if options.has(.json) {
            try terminal.write(report.json)
        } else {
            try terminal.write(report.summary)
        }
        return report.code?.rawValue ?? 0
    }

    /// Keeps out what crashed as it would in a host, if it is a module of the manifest.
    private func quarantine(
        _ verdict: ModuleVerdict, _ modules: VerifiedModules, _ terminal: Terminal
    ) {
        guard let manifest = modules.manifest, modules.isListed(verdict.entry),
            let crash = verdict.crash, let reason = crash.death?.message(of: verdict.entry.id)
        else { return }
        do throws(QuarantineError) {
            let isKeptOut = try QuarantineStore(manifest.store).keepOut(
                verdict.entry.suspect, because: "\(reason), in '\(crash.id)' of 'eaves verify'",
                since: WallClock.second)
            guard isKeptOut else { return }
            terminal.say("quarantined \(verdict.entry.id)")
        } catch {
            error.diagnostics.forEach(terminal.warn)
        }
    }
}
