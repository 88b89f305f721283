// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import EavesDeclaration
import EavesManifest
import EavesSystem

@testable import EavesCatalog

extension Catalog {
    /// The module that is chosen for a feature, or else all that a choice could have been about.
    func modules(offering feature: String) -> [CatalogEntry] {
        candidates(for: .feature(feature))
    }

    /// The same for a service under a name.
    func modules(providing service: String, name: String?) -> [CatalogEntry] {
        candidates(for: .service(service, name: name))
    }

    private func candidates(for capability: Capability) -> [CatalogEntry] {
        do throws(ProviderError) {
            return try provider(of: capability).map { [$0] } ?? []
        } catch {
            return switch error {
            case .missing(_, let unusable, _, _, _): unusable
            case .ambiguous(_, let modules, _): modules.compactMap(entry)
            case .unusableBinding(_, _, let entry, _): [entry].compactMap { $0 }
            }
        }
    }
}

/// The modules that a catalog looks at before it looks at all.
struct NarrowModules {
    private let modules: SurveyedModules

    /// - Returns: `nil` where the catalog has to look at all modules.
    init?(_ manifest: Manifest) {
        let survey = Survey(
            manifest, table: TableFile(in: manifest.store)?.read(),
            now: WallClock.now + 60_000_000_000, looksAtAll: false)
        guard !survey.isWhole, !survey.isNews else { return nil }
        modules = SurveyedModules(
            survey,
            for: ScanningHost(
                manifest: manifest, profile: .sample, standing: [:], held: [:], examination: .none))
    }

    var isOutdated: Bool { modules.survey.isOutdated }
    /// The names of the folders whose `module.json` had to be read.
    var readSources: [String] {
        modules.survey.directories.flatMap(\.sources).map { Path.name(of: $0.path) }
    }
    var lacksInterface: Bool { modules.lacksInterface }

    func modules(offering feature: String) -> [CatalogEntry] {
        modules.entries(declaring: .feature(feature))
    }

    func modules(providing service: String) -> [CatalogEntry] {
        modules.entries(under: .service(service)) { $0.provides(service) }
    }
}
