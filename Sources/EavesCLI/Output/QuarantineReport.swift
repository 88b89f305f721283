// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesCatalog
import EavesJSON
import EavesSystem

/// What `eaves quarantine` shows, as JSON and as a table.
struct QuarantineReport {
    private let records: [QuarantineRecord]
    /// Those that keep a module out as it is now.
    private let active: Set<QuarantineRecord>

    init(_ quarantine: Quarantine, _ catalog: Catalog) {
        records = quarantine.records
        active = Set(
            catalog.entries.compactMap { entry in
                if case .quarantined(let record) = entry.problem { record } else { nil }
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
                "reason": record.reason.map { .string($0) } ?? .null,
                "crashes": .array(
                    record.crashes.map { crash in
                        [
                            "time": .integer(crash.time),
                            "signal": .integer(Int(crash.signal)),
                            "signalName": .string(SignalName.of(crash.signal)),
                        ]
                    }),
            ]
        }
        return ["schema": 1, "modules": .array(modules)]
    }

    var text: String {
        guard !records.isEmpty else { return "no module has crashed\n" }
        var table = Table(headings: ["MODULE", "STATE", "SINCE", "WHY", "FILE"])
        table.rows = records.map { record in
            [
                record.module, state(of: record),
                record.since.map { WallClock.text(of: $0) } ?? "-",
                record.reason ?? "crashed \(record.crashes.count) of \(Quarantine.limit) times",
                record.path,
            ]
        }
        return table.text
    }

    /// Another content may have taken the place of the one that is kept out.
    private func state(of record: QuarantineRecord) -> String {
        if active.contains(record) { return "quarantined" }
        return record.since == nil ? "counted" : "replaced"
    }
}
