// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesHost
import EavesJSON
import EavesManifest
import EavesModules
import EavesOutput
import EavesQuarantine
import Glibc

extension Subcommand {
    static let history = Subcommand(
        name: "history",
        summary: "show the changes that 'rollback' can undo",
        options: [.json, .manifest],
        discussion: """
            Lists the swaps and removals of the manifest, the newest one first: 'eaves rollback 3' undoes the
            first three. Files of modules that are kept out stand among them, without a number:
            'eaves quarantine clear MODULE' lets one in again.
            """,
        run: .plain { try $0.history() })
}

extension SubcommandCall {
    fileprivate func history() throws {
        let host = try Host(manifest: options.manifest())
        let catalog = Catalog(manifest: host.manifest, profile: .current)
        let report = HistoryReport(
            edits: try host.history, files: catalog.entries.compactMap(KeptOutFile.init))
        try print(report.json, or: report.text, isPaged: true)
    }
}

/// A module's file that is kept out now.
struct KeptOutFile {
    let module: String
    let record: QuarantineRecord
    /// The version of the last good file that takes its place; `nil` if there is none.
    let lastGood: String?

    init?(_ entry: CatalogEntry) {
        guard case .quarantined(let record) = entry.own.problem else { return nil }
        module = entry.id
        self.record = record
        lastGood = entry.standIn == nil ? nil : entry.declaration?.version
    }

    fileprivate var words: String {
        "the file of \(module) is kept out"
            + (lastGood.map { ", and the last good one, version \($0), takes its place" } ?? "")
            + " (\(record.reason ?? "it crashed"))"
    }

    fileprivate var json: JSON {
        [
            "module": .string(module), "path": .string(record.path),
            "sha256": .string(record.sha256),
            "time": record.since.map { .integer($0) } ?? .null,
            "reason": .text(record.reason),
            "lastGood": .text(lastGood),
        ]
    }
}

/// The edits of a manifest that can be undone, and the files that are kept out, as the command prints them.
struct HistoryReport {
    /// The newest one first.
    let edits: [ManifestEdit]
    let files: [KeptOutFile]

    var text: String {
        if edits.isEmpty, files.isEmpty { return "no changes to undo\n" }
        var rows = zip(1..., edits).map { number, edit in
            (edit.time, ["\(number)", edit.time.map(Self.localTime) ?? "-", edit.words])
        }
        for file in files {
            let time = file.record.since ?? 0
            // Changes of the manifest stay in their order, whatever the clock said.
            let place = rows.firstIndex { $0.0.map { $0 < time } ?? true } ?? rows.endIndex
            rows.insert((time, ["-", Self.localTime(time), file.words]), at: place)
        }
        var table = Table(headings: ["STEPS", "TIME", "CHANGE"])
        table.rows = rows.map(\.1)
        return table.text
    }

    var json: JSON {
        [
            "schema": 1,
            "changes": .array(
                zip(1..., edits).map { number, edit in
                    .object(
                        [
                            JSON.Member(name: "steps", value: .integer(number)),
                            JSON.Member(
                                name: "time", value: edit.time.map { .integer($0) } ?? .null),
                        ] + edit.members)
                }),
            "files": .array(files.map(\.json)),
        ]
    }

    /// A time as the clock on the wall shows it here.
    static func localTime(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        guard localtime_r(&time, &parts) != nil else { return "-" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress,
                strftime(start, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) > 0
            else { return "-" }
            return String(cString: start)
        }
    }
}

extension ManifestEdit {
    fileprivate var words: String {
        switch kind {
        case .swap: message
        case .removal:
            "removed \(module)"
                + (services.isEmpty ? "" : ", which \(services.joined(separator: ", ")) came from")
        }
    }

    fileprivate var members: [JSON.Member] {
        let part = parts[0]
        let texts: KeyValuePairs<String, String?> =
            kind == .swap
            ? [
                "kind": kind.rawValue, "service": part.service, "from": part.bindingBefore?.module,
                "weightsBefore": part.bindingBefore?.weights, "to": module,
                "weightsAfter": part.bindingAfter?.weights, "reason": reason,
            ]
            : ["kind": kind.rawValue, "module": module]
        let members = texts.map { name, text in
            JSON.Member(name: name, value: .text(text))
        }
        let services = JSON.Member(
            name: "services", value: .texts(services))
        return kind == .swap ? members : members + [services]
    }
}
