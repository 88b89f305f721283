// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import EavesDeclaration
import EavesManifest

@testable import EavesCatalog

extension Catalog {
    func modules(offering feature: String) -> [CatalogEntry] {
        modules(declaring: .feature(feature))
    }

    func modules(providing service: String, name: String?) -> [CatalogEntry] {
        modules(declaring: .service(service, name: name))
    }
}

/// The modules that a catalog looks at before it looks at all.
struct NarrowModules {
    private let modules: SurveyedModules

    /// - Returns: `nil` where the catalog has to look at all modules.
    init?(_ manifest: Manifest) {
        guard let cache = CacheFile(in: manifest.store)?.read(narrow: true),
            let survey = Survey(narrow: manifest, cache: cache)
        else { return nil }
        modules = SurveyedModules(survey, manifest: manifest, profile: .sample)
    }

    var isOutdated: Bool { modules.survey.isOutdated }

    func modules(offering feature: String) -> [CatalogEntry] {
        modules.entries(declaring: .feature(feature))
    }

    func modules(providing service: String) -> [CatalogEntry] {
        modules.entries(under: .service(service)) { $0.provides(service) }
    }
}
