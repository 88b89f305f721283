// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesJSON

/// The elements of `eaves list --json`.
extension JSONStream {
    mutating func write(_ feature: ListedFeature) {
        object { json in
            json.string("name", feature.name)
            json.string("summary", feature.summary)
            json.string("module", feature.module)
            json.string("state", feature.state.rawValue)
        }
    }

    mutating func write(_ entry: CatalogEntry) {
        let declaration = entry.declaration
        let problem = entry.diagnostics.map(\.message).joined(separator: "; ")
        object { json in
            json.string("id", entry.id)
            json.string("version", declaration?.version)
            json.string("path", entry.path)
            json.string("state", entry.state.rawValue)
            json.string("problem", entry.problem == nil ? nil : problem)
            json.array("provides") { json in
                for service in entry.listedServices { json.string(nil, service) }
            }
            json.array("requires") { json in
                for service in declaration?.requires ?? [] { json.string(nil, service) }
            }
            json.value("pinned", .bool(entry.sha256 != nil))
        }
    }
}
