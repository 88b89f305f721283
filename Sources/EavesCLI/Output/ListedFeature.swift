// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// A feature as `eaves list` shows it.
struct ListedFeature {
    let name: String
    let summary: String
    /// The id of its module.
    let module: String
    let state: ModuleState

    /// Sorted by name, then by the module's id.
    static func all(of entries: [CatalogEntry]) -> [ListedFeature] {
        let features = entries.flatMap { entry in
            (entry.declaration?.features ?? []).map { feature in
                ListedFeature(
                    name: feature.name, summary: feature.summary, module: entry.id,
                    state: entry.state)
            }
        }
        return features.sorted { ($0.name, $0.module) < ($1.name, $1.module) }
    }
}

extension CatalogEntry {
    /// The services that it provides, each once.
    var listedServices: [String] {
        guard let provides = declaration?.provides else { return [] }
        if provides.count < 2 { return provides.map(\.service) }
        var seen: Set<String> = []
        return provides.map(\.service).filter { seen.insert($0).inserted }
    }
}
