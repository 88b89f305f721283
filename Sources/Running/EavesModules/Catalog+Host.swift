// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
import EavesLife
package import EavesManifest
import EavesRules

extension Catalog {
    /// The modules of a manifest as a host sees them: where several files have one id, it takes the first
    /// one that a launch would load. Looks at no module yet.
    ///
    /// - Parameter standing: Modules that stand as they are, by their ids, whatever their files are now.
    package convenience init(
        manifest: Manifest, profile: HostProfile, hostServices: Set<String> = [],
        standing: [String: CatalogEntry] = [:]
    ) {
        self.init(
            manifest: manifest, profile: profile, hostServices: hostServices, standing: standing,
            cache: CacheFile(in: manifest.store),
            examination: ModuleExamination(
                missingLibraries: { libraries in
                    InspectedModule.missingLibraries(libraries, in: manifest)
                },
                problems: { entry in
                    // Alone: rules about other modules would ask the catalog, which is about to answer.
                    InspectedModule(entry, among: nil, in: manifest, host: profile)
                        .launchDiagnostics
                }))
    }
}
