// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import Testing

@testable import EavesCatalog

/// A module of a list, with strings for all texts.
struct ModuleTexts: Equatable {
    let id: String
    let version: String?
    let path: String
    let state: ModuleState
    let problem: String?
    let provides: [String]
    let requires: [String]
}

extension ModuleTexts {
    init(_ entry: CatalogEntry, among names: ServiceNames? = nil) {
        let names = names ?? entry.ownNames
        self.init(
            id: entry.id, version: entry.declaration?.version, path: entry.path, state: entry.state,
            problem: entry.problem == nil
                ? nil : entry.diagnostics.map(\.message).joined(separator: "; "),
            provides: entry.listedServices(names), requires: entry.listedRequirements(names))
    }

    init(_ module: ListedModule, _ listing: CatalogListing) {
        func strings(_ texts: ListedTexts) -> [String] {
            var found: [String] = []
            listing.forEach(texts) { found.append(listing.string($0)) }
            return found
        }
        self.init(
            id: listing.string(module.id), version: module.version.map(listing.string),
            path: listing.string(module.path), state: module.state, problem: module.problem,
            provides: strings(module.provides), requires: strings(module.requires))
    }
}

extension CatalogListing {
    var moduleTexts: [ModuleTexts] { modules.map { ModuleTexts($0, self) } }

    /// Name, summary and module of each feature.
    var featureTexts: [[String]] {
        features.map { feature in [feature.name, feature.summary, feature.module].map(string) }
    }

    /// The modules that were scanned, because more than their own files decides about them.
    var scanned: [ModuleTexts] { moduleTexts.filter { !unscannedIDs.contains($0.id) } }

    /// The modules whose texts come from the cache as they stand.
    var unscannedIDs: [String] {
        modules.compactMap { module in
            guard case .cached = module.id else { return nil }
            return string(module.id)
        }
    }
}

/// Expects that the list of one catalog shows what the entries of another one say.
///
/// - Parameter selfContained: How many modules need no scan.
func expectListed(
    _ catalog: Catalog, _ other: Catalog, selfContained: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let listing = catalog.listing
    #expect(listing.unscannedIDs.count == selfContained, sourceLocation: sourceLocation)
    #expect(
        listing.diagnostics(of: nil) == other.entries.mergedDiagnostics,
        sourceLocation: sourceLocation
    )
    #expect(
        listing.moduleTexts == other.entries.map { ModuleTexts($0, among: other.services) },
        sourceLocation: sourceLocation)
    let features = other.entries.flatMap { entry in
        (entry.declaration?.features ?? []).map { [$0.name, $0.summary, entry.id] }
    }
    let sorted = features.sorted { ($0[0], $0[2]) < ($1[0], $1[2]) }
    let keys = listing.featureTexts.map { [$0[0], $0[2]] }
    #expect(keys == sorted.map { [$0[0], $0[2]] }, sourceLocation: sourceLocation)
    #expect(Set(listing.featureTexts) == Set(features), sourceLocation: sourceLocation)
    #expect(listing.features.count == features.count, sourceLocation: sourceLocation)
    #expect(listing.diagnostics == other.diagnostics, sourceLocation: sourceLocation)
}
