// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesManifest

/// What `eaves list` shows, as JSON and as tables.
struct ListReport {
    private let catalog: Catalog
    private let manifest: Manifest

    init(catalog: Catalog, manifest: Manifest) {
        self.catalog = catalog
        self.manifest = manifest
    }

    /// The contract's object.
    var json: JSON {
        [
            "schema": 1,
            "features": .array(
                features.map { feature, entry in
                    [
                        "name": .string(feature.name), "summary": .string(feature.summary),
                        "module": .string(entry.id), "state": .string(entry.state.rawValue),
                    ]
                }),
            "modules": .array(catalog.entries.map(Self.json)),
            "bindings": .object(
                manifest.bindings.map { JSON.Member(name: $0.service, value: .string($0.module)) }),
        ]
    }

    /// Three tables: features, modules, bindings.
    var text: String {
        var tables: [String] = []
        if !features.isEmpty {
            var table = Table(headings: ["FEATURE", "MODULE", "STATE", "SUMMARY"])
            table.rows = features.map { feature, entry in
                [feature.name, entry.id, entry.state.rawValue, feature.summary]
            }
            tables.append(table.text)
        }
        if !catalog.entries.isEmpty {
            // Most manifests pin nothing.
            let showsPins = catalog.entries.contains { $0.sha256 != nil }
            var table = Table(
                headings: ["MODULE", "VERSION", "STATE"] + (showsPins ? ["PINNED"] : [])
                    + ["PROVIDES", "REQUIRES", "FILE"])
            table.rows = catalog.entries.map { entry in
                let pin = entry.sha256 == nil ? "-" : "yes"
                return [entry.id, entry.declaration?.version ?? "-", entry.state.rawValue]
                    + (showsPins ? [pin] : []) + [
                        Self.names(entry.provisions), Self.names(entry.declaration?.requires ?? []),
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

    private var features: [(FeatureDeclaration, CatalogEntry)] {
        catalog.entries
            .flatMap { entry in (entry.declaration?.features ?? []).map { ($0, entry) } }
            .sorted { ($0.0.name, $0.1.id) < ($1.0.name, $1.1.id) }
    }

    private static func json(_ entry: CatalogEntry) -> JSON {
        [
            "id": .string(entry.id),
            "version": entry.declaration.map { .string($0.version) } ?? .null,
            "path": .string(entry.path),
            "state": .string(entry.state.rawValue),
            "problem": entry.problem == nil ? .null : .string(entry.problemText),
            "provides": .array(entry.provisions.map { .string($0) }),
            "requires": .array((entry.declaration?.requires ?? []).map { .string($0) }),
            "pinned": .bool(entry.sha256 != nil),
        ]
    }

    private static func names(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}

extension CatalogEntry {
    /// What is wrong with it, in one text.
    fileprivate var problemText: String {
        diagnostics.map(\.message).joined(separator: "; ")
    }

    /// The services it provides, each once.
    fileprivate var provisions: [String] {
        var seen: Set<String> = []
        return (declaration?.provides ?? []).map(\.service).filter { seen.insert($0).inserted }
    }
}
