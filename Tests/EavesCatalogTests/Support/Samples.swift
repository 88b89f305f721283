// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesTestSupport

extension TemporaryFolder {
    /// What is found by a manifest in this folder.
    func catalog(
        _ manifest: String = #"{ "manifest": 1 }"#, profile: HostProfile = .sample,
        hostServices: Set<String> = [],
        examine: @escaping @Sendable (CatalogEntry) -> [Diagnostic] = { _ in [] }
    ) throws -> Catalog {
        try createFolder("Plugins")
        let path = try write(manifest, to: "manifest.json")
        let manifest = try Manifest.load(path)
        return Catalog(
            manifest: manifest, profile: profile, hostServices: hostServices,
            table: TableFile(in: manifest.store), examination: ModuleExamination(problems: examine))
    }
}
