// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesJSON
import EavesManifest
import EavesModules
import EavesOutput
import EavesProcess
import EavesQuarantine
import EavesSystem

extension Subcommand {
    static let quarantine = Subcommand(
        name: "quarantine",
        summary: "show modules that crashed, or let them in again",
        operands: "[clear [ID…]]",
        completed: [.oneOf(["clear"]), .module],
        options: [.json, .all, .manifest],
        discussion: """
            A module that crashes in 'eaves verify', or three times in a host without a good minute between,
            is kept out until its content changes. 'eaves quarantine clear ID' lets it in with its
            present content.
            """,
        run: .plain { try $0.quarantine() })
}

extension OptionSpec {
    fileprivate static let all = OptionSpec("all", help: "with clear: let in all modules")
}

extension SubcommandCall {
    fileprivate func quarantine() throws {
        let words = options.operands
        let isClear = words.first == "clear" && options.has(.all) == (words.count == 1)
        guard isClear || (words.isEmpty && !options.has(.all)) else {
            throw CommandError.wrongOperands(
                command: Subcommand.quarantine.name,
                expected: "nothing, 'clear ID…' or 'clear --all'",
                found: words.isEmpty ? ["--all"] : words)
        }
        let manifest = try options.manifest()
        let catalog = Catalog(manifest: manifest, profile: .current)
        let store = QuarantineStore(manifest.store)
        if options.operands.isEmpty {
            try show(store, catalog)
        } else {
            try clear(options.has(.all) ? nil : Array(words.dropFirst()), store, catalog)
        }
    }

    private func show(_ store: QuarantineStore, _ catalog: Catalog) throws {
        var problems: [QuarantineError] = []
        let quarantine = store.read(&problems) ?? Quarantine()
        let report = QuarantineReport(quarantine, catalog)
        let unread = quarantine.isEmpty ? store.unread : []
        if options.has(.json) {
            try terminal.write(report.json)
        } else if problems.isEmpty || !quarantine.isEmpty {
            try terminal.write(
                unread.isEmpty ? report.text : "whether a module has crashed is not known\n")
        }
        for path in unread {
            let fix = "as its user, or as root: 'EAVES_STORE=\(path.shellPath) eaves quarantine'"
            terminal.warn(
                Diagnostic("crashes may be noted in \(path)", fix: fix, code: .untrusted))
        }
        guard problems.isEmpty else {
            throw CommandError.invalid(problems.flatMap(\.diagnostics))
        }
    }

    /// - Parameter ids: `nil` for all modules.
    private func clear(_ ids: [String]?, _ store: QuarantineStore, _ catalog: Catalog) throws {
        var problems: [QuarantineError] = []
        let recorded = Set((store.read(&problems)?.records ?? []).map(\.module))
        for id in ids ?? [] where catalog.entry(id) == nil && !recorded.contains(id) {
            throw CommandError.noModule(id, known: catalog.entries.map(\.id) + recorded)
        }
        let cleared = try store.clear(ids.map { Set($0) }, &problems)
        Set(problems).flatMap(\.diagnostics).forEach(terminal.warn)
        if ids == nil, cleared.isEmpty { terminal.say("no crash of any module is recorded") }
        for id in ids ?? cleared.keys.sorted() {
            guard let count = cleared[id] else {
                terminal.say("no crash of \(id) is recorded")
                continue
            }
            let crashes =
                count == 0
                ? "" : count == 1 ? ", which crashed once" : ", which crashed \(count) times"
            terminal.say("cleared \(id)\(crashes)")
        }
    }
}

struct QuarantineReport {
    private let records: [QuarantineRecord]
    /// The records that keep a module out with its present content.
    private let active: Set<QuarantineRecord>

    init(_ quarantine: Quarantine, _ catalog: Catalog) {
        records = quarantine.records
        active = Set(
            catalog.entries.compactMap { entry in
                if case .quarantined(let record) = entry.own.problem { record } else { nil }
            })
    }

    var json: JSON {
        let modules = records.map { record -> JSON in
            [
                "id": .string(record.module),
                "path": .string(record.path),
                "sha256": .string(record.sha256),
                "quarantined": .bool(active.contains(record)),
                "since": record.since.map { .integer($0) } ?? .null,
                "reason": .text(record.reason),
                "crashes": .array(
                    record.crashes.map { crash in
                        [
                            "time": .integer(crash.time),
                            "signal": crash.cause.signal.map { .integer(Int($0)) } ?? .null,
                            "signalName": .text(crash.cause.signal.map(SignalName.of)),
                            "exit": crash.cause.exitCode.map { .integer(Int($0)) } ?? .null,
                            "generation": crash.generation.map { .integer($0) } ?? .null,
                            "feature": .text(crash.feature),
                        ]
                    }),
            ]
        }
        return ["schema": 1, "modules": .array(modules)]
    }

    var text: String {
        guard !records.isEmpty else { return "no module has crashed\n" }
        let rows = records.map { record in
            [
                record.module, state(of: record),
                record.since.map { WallClock.text(of: $0) } ?? "-",
                record.reason ?? "crashed \(record.crashesInRow) of \(Quarantine.limit) times",
                record.path,
            ]
        }
        return Table(["MODULE", "STATE", "SINCE", "WHY", "FILE"], rows: rows).text
    }

    /// `replaced` if the content that was kept out is no longer the module's content.
    private func state(of record: QuarantineRecord) -> String {
        if active.contains(record) { return "quarantined" }
        return record.since == nil ? "counted" : "replaced"
    }
}
