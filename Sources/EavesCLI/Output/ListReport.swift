// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest

/// The output of `eaves list` for people.
struct ListReport {
    private let entries: [CatalogEntry]
    private let manifest: Manifest

    init(catalog: Catalog, manifest: Manifest) {
        entries = catalog.entries
        self.manifest = manifest
    }

    /// Three tables: features, modules, bindings.
    var text: String {
        var tables: [String] = []
        if !features.isEmpty {
            var table = Table(headings: ["FEATURE", "MODULE", "STATE", "SUMMARY"])
            table.rows = features
            tables.append(table.text)
        }
        if !entries.isEmpty {
            // Most manifests pin no module, and need no column for it.
            let showsPins = entries.contains { $0.sha256 != nil }
            var table = Table(
                headings: ["MODULE", "VERSION", "STATE"] + (showsPins ? ["PINNED"] : [])
                    + ["PROVIDES", "REQUIRES", "FILE"])
            table.rows = entries.map { entry in
                let pin = entry.sha256 == nil ? "-" : "yes"
                return [entry.id, entry.declaration?.version ?? "-", entry.state.rawValue]
                    + (showsPins ? [pin] : []) + [
                        Self.names(entry.listedServices),
                        Self.names(entry.declaration?.requires ?? []),
                        entry.path,
                    ]
            }
            tables.append(table.text)
        }
        if !manifest.bindings.isEmpty {
            var table = Table(headings: ["SERVICE", "BOUND TO"])
            table.rows = manifest.bindings.map { [$0.service, $0.module] }
            tables.append(table.text)
        }
        return tables.isEmpty ? "no modules\n" : tables.joined(separator: "\n")
    }

    /// Sorted by name, then by the module's id.
    private var features: [[String]] {
        entries.flatMap { entry in
            (entry.declaration?.features ?? []).map {
                [$0.name, entry.id, entry.state.rawValue, $0.summary]
            }
        }.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
    }

    private static func names(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}
