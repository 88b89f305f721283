// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesIsolation
import EavesJSON
import EavesManifest
import EavesOutput
import EavesProcess
import EavesSystem
import EavesVerify

extension Subcommand {
    static let verify = Subcommand(
        name: "verify",
        summary: "find out whether modules keep their promises",
        operands: "[FILE-OR-ID…]",
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
            throw .badNumber(
                "--timeout", "seconds, from 0.001 to 86400", found: text, as: "--timeout 30")
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
                skippingCode: modules.coversAll && entry.state == .disabled
                    ? "the module is disabled" : nil)
            report.verdicts.append(verdict)
            if !options.has(.json) { try terminal.write(report.text(of: verdict)) }
            try terminal.console.flush()
            quarantine(verdict, modules)
        }
        try print(report.json, or: report.summary)
        // The code of the first failure of the first module that failed.
        return report.verdicts.firstNonNil(\.code)?.rawValue ?? 0
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
    /// Whether these are all modules of the manifest, and none was named: code of one that is off is not run then.
    let coversAll: Bool
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
        let rows = CheckList.all.map { [$0.id, $0.witness.rawValue, $0.meaning] }
        return Table(["CHECK", "WITNESS", "MEANS"], rows: rows).text
    }
}

struct VerifyReport {
    var verdicts: [ModuleVerification] = []
    /// Whether the text also shows checks that passed or were skipped.
    let showsAll: Bool

    var json: JSON {
        ["schema": 1, "modules": .array(verdicts.map(Self.json))]
    }

    /// The text about one module: a heading, and below it a line for each check, with what is wrong.
    func text(of verdict: ModuleVerification) -> String {
        let entry = verdict.module
        let name = [entry.id, entry.declaration?.version].compactMap { $0 }.joined(separator: " ")
        let shown = verdict.checks.filter {
            showsAll || $0.outcome == .failed || $0.outcome == .warned
        }
        let width = shown.map(\.id.count).max() ?? 0
        let wall = verdict.isWalled ? ", behind its wall" : ""
        let heading =
            "\(name) (\(entry.path)): \(Self.counts(of: verdict))\(wall)".escapedLine + "\n"
        let lines = shown.map { check in
            let head = "  \(check.outcome.rawValue.padded(to: 7))  "
            guard !check.details.isEmpty else {
                return head + check.id.padded(to: width) + "  "
                    + (check.reason ?? check.meaning).escapedLine + "\n"
            }
            return head + check.id + "\n"
                + check.details.map { "           \($0)\n" }.joined()
        }
        return heading + lines.joined()
    }

    var summary: String {
        let failed = verdicts.filter { !$0.isPassed }
        guard !verdicts.isEmpty else { return "no modules\n" }
        let count = verdicts.count == 1 ? "1 module" : "\(verdicts.count) modules"
        guard failed.isEmpty else {
            let names = failed.map(\.module.id).joined(separator: ", ").escapedLine
            return "\(count), \(failed.count) failed: \(names)\n"
        }
        let warnings = verdicts.reduce(0) { $0 + $1.count(of: .warned) }
        let remark =
            warnings == 0 ? "" : warnings == 1 ? ", with 1 warning" : ", with \(warnings) warnings"
        return "\(count) passed\(remark)\n"
    }

    /// A heading and the first eight lines of a text; empty if there are no lines.
    static func excerpt(_ heading: String, _ lines: [String]) -> [String] {
        let limit = 8
        guard !lines.isEmpty else { return [] }
        let rest = lines.count > limit ? ["  … (\(lines.count - limit) more)"] : []
        return [heading] + lines.prefix(limit).map { "  " + $0 } + rest
    }

    /// The calls up to the outermost one in a module, innermost first; empty if there is only one. A
    /// place that stands several times in a row is shown once.
    ///
    /// - Parameter frames: The stack, innermost first; the module is `nil` for code of the host and of libraries.
    static func calls(_ frames: [(place: String, module: String?)]) -> [String] {
        guard let last = frames.lastIndex(where: { $0.module != nil }) else { return [] }
        var places: [String] = []
        for frame in frames[...last] where frame.place != places.last { places.append(frame.place) }
        return places.count > 1 ? places : []
    }

    private static func counts(of verdict: ModuleVerification) -> String {
        let outcomes: [ModuleVerification.Check.Outcome] = [.failed, .warned, .passed, .skipped]
        return outcomes.compactMap { outcome in
            let count = verdict.count(of: outcome)
            return count == 0 ? nil : "\(count) \(outcome.rawValue)"
        }.joined(separator: ", ")
    }

    private static func json(_ verdict: ModuleVerification) -> JSON {
        [
            "id": .string(verdict.module.id),
            "path": .string(verdict.module.path),
            "passed": .bool(verdict.isPassed),
            "walled": .bool(verdict.isWalled),
            "checks": .array(verdict.checks.map(json)),
        ]
    }

    private static func json(_ check: ModuleVerification.Check) -> JSON {
        let messages = check.problems.map(\.message).joined(separator: "; ")
        let fixes = check.problems.compactMap(\.fix).joined(separator: "; ")
        var signal: Int32?
        if case .signal(let number) = check.death?.cause { signal = number }
        return [
            "id": .string(check.id),
            "meaning": .string(check.meaning),
            "result": .string(check.outcome.rawValue),
            "message": .text(messages.isEmpty ? check.reason : messages),
            "fix": .text(fixes.isEmpty ? nil : fixes),
            "signal": signal.map { .integer(Int($0)) } ?? .null,
            "signalName": .text(signal.map(SignalName.of)),
            "frame": .text(check.death?.frame?.place),
            "backtrace": .array((check.death?.frames ?? []).map { .string($0.place) }),
            "output": .text(check.output.isEmpty ? nil : check.printed),
        ]
    }
}

extension ModuleVerification.Check {
    fileprivate var printed: String { String(decoding: output, as: UTF8.self) }

    fileprivate var details: [String] {
        guard !problems.isEmpty else { return [] }
        var lines = problems.flatMap { diagnostic in
            Self.lines(diagnostic.message.escapedMessage)
                + (diagnostic.fix.map { Self.lines("fix: " + $0.escapedMessage) } ?? [])
        }
        let frames = (death?.frames ?? []).map { ($0.place.escapedLine, $0.module) }
        lines += VerifyReport.excerpt("it was in:", VerifyReport.calls(frames))
        lines += VerifyReport.excerpt("it printed:", Self.lines(printed))
        return lines
    }

    /// The lines that are not empty. A line ends only where ``Terminal`` ends it, too.
    private static func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n").map(String.init)
    }
}
