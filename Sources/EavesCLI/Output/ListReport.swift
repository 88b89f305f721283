// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesManifest

/// What `eaves list` shows, as JSON and as tables.
struct ListReport {
    private struct Feature {
        let name: String
        let summary: String
        let module: String
        let state: ModuleState
    }

    private let entries: [CatalogEntry]
    private let manifest: Manifest

    init(catalog: Catalog, manifest: Manifest) {
        entries = catalog.entries
        self.manifest = manifest
    }

    /// The contract's object, with a line break at its end.
    var json: [UInt8] {
        var json = JSONStream(capacity: 1024 + entries.count * 450)
        json.object { json in
            json.value("schema", 1)
            json.array("features") { json in
                for feature in features { write(feature, to: &json) }
            }
            json.array("modules") { json in
                for entry in entries { write(entry, to: &json) }
            }
            json.object("bindings") { json in
                for binding in manifest.bindings { json.member(binding.service, binding.module) }
            }
        }
        return json.text()
    }

    private func write(_ feature: Feature, to json: inout JSONStream) {
        json.object { json in
            json.string("name", feature.name)
            json.string("summary", feature.summary)
            json.string("module", feature.module)
            json.string("state", feature.state.rawValue)
        }
    }

    private func write(_ entry: CatalogEntry, to json: inout JSONStream) {
        let declaration = entry.declaration
        json.object { json in
            json.string("id", entry.id)
            json.string("version", declaration?.version)
            json.string("path", entry.path)
            json.string("state", entry.state.rawValue)
            json.string("problem", entry.problem == nil ? nil : entry.problemText)
            json.array("provides") { json in
                for service in Self.services(declaration) { json.string(nil, service) }
            }
            json.array("requires") { json in
                for service in declaration?.requires ?? [] { json.string(nil, service) }
            }
            json.value("pinned", .bool(entry.sha256 != nil))
        }
    }

    /// Three tables: features, modules, bindings.
    var text: String {
        var tables: [String] = []
        if !features.isEmpty {
            var table = Table(headings: ["FEATURE", "MODULE", "STATE", "SUMMARY"])
            table.rows = features.map { [$0.name, $0.module, $0.state.rawValue, $0.summary] }
            tables.append(table.text)
        }
        if !entries.isEmpty {
            // Most manifests pin nothing.
            let showsPins = entries.contains { $0.sha256 != nil }
            var table = Table(
                headings: ["MODULE", "VERSION", "STATE"] + (showsPins ? ["PINNED"] : [])
                    + ["PROVIDES", "REQUIRES", "FILE"])
            table.rows = entries.map { entry in
                let pin = entry.sha256 == nil ? "-" : "yes"
                return [entry.id, entry.declaration?.version ?? "-", entry.state.rawValue]
                    + (showsPins ? [pin] : []) + [
                        Self.names(Self.services(entry.declaration)),
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
    private var features: [Feature] {
        var features: [Feature] = []
        for entry in entries {
            for feature in entry.declaration?.features ?? [] {
                features.append(
                    Feature(
                        name: feature.name, summary: feature.summary, module: entry.id,
                        state: entry.state))
            }
        }
        return features.sorted { ($0.name, $0.module) < ($1.name, $1.module) }
    }

    /// The services that it provides, each once.
    private static func services(_ declaration: ModuleDeclaration?) -> [String] {
        guard let provides = declaration?.provides else { return [] }
        if provides.count < 2 { return provides.map(\.service) }
        var seen: Set<String> = []
        return provides.map(\.service).filter { seen.insert($0).inserted }
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
}
