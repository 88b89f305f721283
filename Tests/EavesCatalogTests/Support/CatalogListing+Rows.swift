// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem
import Testing

/// What a list shows of a module.
struct ListedModule: Equatable {
    let id: String
    let version: String?
    let path: String
    let state: ModuleState
    let problem: CatalogProblem?
    let provides: [String]
    let requires: [String]
}

extension ListedModule {
    init(_ entry: CatalogEntry) {
        self.init(
            id: entry.id, version: entry.declaration?.version, path: entry.path, state: entry.state,
            problem: entry.problem, provides: entry.declaration?.provides.map(\.service) ?? [],
            requires: entry.declaration?.requires ?? [])
    }

    init(_ module: PlainModule, _ listing: CatalogListing) {
        let plain = listing.plain
        func texts(_ texts: CachedTexts) -> [String] {
            var found: [String] = []
            plain.forEach(texts) { text in
                found.append(text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            }
            return found
        }
        self.init(
            id: plain.string(module.id), version: plain.string(module.version),
            path: Path.join(listing.directories[module.directory], plain.string(module.fileName)),
            state: .ready, problem: nil, provides: texts(module.provides),
            requires: texts(module.requires))
    }
}

extension CatalogListing {
    var modules: [ListedModule] {
        (entries.map { ListedModule($0) } + plain.modules.map { ListedModule($0, self) })
            .sorted { ($0.id, $0.path) < ($1.id, $1.path) }
    }

    /// Name, summary and module of each feature.
    var features: [[String]] {
        let ofPlain = plain.features.map { feature in
            [feature.name, feature.summary, feature.module].map { plain.string($0) }
        }
        return ofPlain + entries.flatMap(\.listedFeatures)
    }
}

extension CatalogEntry {
    var listedFeatures: [[String]] {
        (declaration?.features ?? []).map { [$0.name, $0.summary, id] }
    }
}

/// The list of one catalog shows what another one has.
///
/// - Parameter plain: How many of the modules need no entry.
func expectListed(
    _ catalog: Catalog, _ other: Catalog, plain: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let listing = catalog.listing
    #expect(listing.plain.modules.count == plain, sourceLocation: sourceLocation)
    #expect(
        listing.modules == other.entries.map { ListedModule($0) }, sourceLocation: sourceLocation)
    #expect(
        Set(listing.features) == Set(other.entries.flatMap(\.listedFeatures)),
        sourceLocation: sourceLocation)
    #expect(
        listing.features.count == other.entries.flatMap(\.listedFeatures).count,
        sourceLocation: sourceLocation)
    #expect(listing.diagnostics == other.diagnostics, sourceLocation: sourceLocation)
    let ids = listing.plain.modules.map { listing.plain.string($0.id) }
    #expect(ids == ids.sorted(), sourceLocation: sourceLocation)
    let names = listing.plain.features.map { listing.plain.string($0.name) }
    #expect(names == names.sorted(), sourceLocation: sourceLocation)
}
