// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesManifest
import EavesOutput
import EavesSystem
import EavesVerify

extension Subcommand {
    static let verify = Subcommand(
        name: "verify",
        summary: "find out whether modules keep their promises",
        operands: "[FILE-OR-ID…]",
        operandCount: 0...Int.max,
        completed: [.module],
        options: [.json, .only, .timeout, .walled, .listChecks, .manifest],
        discussion: """
            Checks each module's file, and then runs its code in a process of its own: loads it, lets it
            register, creates and drops its services, asks its features for help. Without operands, it
            verifies all modules of the manifest. A module that crashes, exits or hangs there is
            quarantined.
            """,
        run: .synchronous { try $0.verify() })
}

extension OptionSpec {
    fileprivate static let only = OptionSpec(
        "only", value: "ID", help: "report on this check; may be given several times")
    fileprivate static let timeout = OptionSpec(
        "timeout", value: "SECONDS", help: "how long each check may take; 10 if not given")
    fileprivate static let walled = OptionSpec(
        "walled", help: "give no module more rights than its permissions in the manifest")
    fileprivate static let listChecks = OptionSpec("list-checks", help: "show all checks and end")
}

extension SubcommandCall {
    private static func limit(_ text: String) throws(CommandError) -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw .badTimeout(text)
        }
        return .seconds(seconds)
    }

    fileprivate func verify() throws -> Int32 {
        let limit = try options.value(.timeout).map(Self.limit) ?? .seconds(10)
        if options.has(.listChecks) {
            try print(CheckTable.json, or: CheckTable.text)
            return 0
        }
        let verification = try Verification(
            only: options.allValues(.only), limit: limit, isWalled: options.has(.walled))
        let modules = try VerifiedModules(options, terminal)
        var report = VerifyReport(showsAll: options.operands.count == 1)
        for entry in modules.entries {
            let verdict = try verification.verdict(
                of: entry, in: modules.manifest, among: modules.catalog,
                skippingCode: modules.reasonToSkipCode(of: entry))
            report.verdicts.append(verdict)
            if !options.has(.json) { try terminal.write(report.text(of: verdict)) }
            try terminal.console.flush()
            quarantine(verdict, modules)
        }
        try print(report.json, or: report.summary)
        return report.code?.rawValue ?? 0
    }

    /// Quarantines a module of the manifest if it crashed, ended the process or hung in a check that does
    /// what a host does.
    private func quarantine(_ verdict: ModuleVerification, _ modules: VerifiedModules) {
        guard let manifest = modules.manifest, modules.isKnown(verdict.module) else { return }
        let quarantine = verdict.quarantine(in: manifest)
        if quarantine.isKeptOut { terminal.say("quarantined \(verdict.module.id)") }
        quarantine.problems.forEach(terminal.warn)
    }
}

/// The modules that a command line of `eaves verify` names, or all of the manifest.
struct VerifiedModules {
    let entries: [CatalogEntry]
    /// Whether these are all modules of the manifest, and none was named.
    private let coversAll: Bool
    private let operands: ModuleOperands

    /// `nil` if only files are named, and there is no manifest that can be used.
    var manifest: Manifest? { operands.manifest }
    var catalog: Catalog? { operands.catalog }

    init(_ options: ParsedOptions, _ terminal: Terminal) throws {
        let needsManifest =
            options.operands.isEmpty || !options.operands.allSatisfy(\.namesFile)
        let operands = ModuleOperands(
            in: try needsManifest ? options.manifest() : Self.optionalManifest(options, terminal))
        self.operands = operands
        coversAll = options.operands.isEmpty
        guard !options.operands.isEmpty else {
            entries = (operands.catalog?.entries ?? []).map(\.own)
            return
        }
        entries = try options.operands.map { word in
            // As the manifest knows the file, with its pin and its other demands.
            let file = Path.absolute(word)
            let known =
                word.namesFile ? operands.catalog?.entries.first { $0.file == file } : nil
            return try (known ?? operands.module(word)).own
        }
    }

    /// The manifest for files, which need none. One that was found and cannot be used may belong to
    /// another program: the command warns, and goes on without it.
    ///
    /// - Throws: `ManifestError` if `--manifest` names it.
    private static func optionalManifest(
        _ options: ParsedOptions, _ terminal: Terminal
    ) throws -> Manifest? {
        guard !options.namesManifest else { return try options.manifest() }
        guard let path = Manifest.find(from: Path.current) else { return nil }
        do throws(ManifestError) {
            return try Manifest.load(path)
        } catch {
            let first = error.diagnostic
            terminal.warn(
                Diagnostic(
                    "going on without the manifest: \(first.message)",
                    fix: "correct it; if it belongs to another program, nothing is missing",
                    code: first.code))
            return nil
        }
    }

    /// Why no code of a module is run; `nil` if it is. A module that is off is run only if the command
    /// line names it.
    func reasonToSkipCode(of entry: CatalogEntry) -> String? {
        coversAll && entry.state == .disabled ? "the module is disabled" : nil
    }

    /// Whether the manifest leads to this very file.
    func isKnown(_ entry: CatalogEntry) -> Bool {
        catalog?.entry(entry.id)?.file == entry.file
    }
}

private enum CheckTable {
    static var json: JSON {
        let checks = CheckList.all.map { check -> JSON in
            [
                "id": .string(check.id), "meaning": .string(check.meaning),
                "witness": .string(check.witness.rawValue),
            ]
        }
        return ["schema": 1, "checks": .array(checks)]
    }

    static var text: String {
        var table = Table(headings: ["CHECK", "WITNESS", "MEANS"])
        table.rows = CheckList.all.map { [$0.id, $0.witness.rawValue, $0.meaning] }
        return table.text
    }
}

extension Subcommand {
    /// `eaves verify-probe`: the process that `eaves verify` starts to run a module's code in.
    static let verifyProbe = Subcommand(
        name: VerificationProbe.word,
        summary: "run a module for 'eaves verify'",
        options: [],
        discussion: "'eaves verify' starts this command, and sends it the request.",
        run: .synchronous { try $0.verifyProbe() })
}

extension SubcommandCall {
    fileprivate func verifyProbe() throws -> Int32 {
        guard let probe = Probe() else {
            throw Diagnostic(
                "'eaves \(VerificationProbe.word)' has got no request",
                fix: "run 'eaves verify', which starts it", code: .usage)
        }
        VerificationProbe.serve(probe)
    }
}
