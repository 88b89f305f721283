// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesLife
package import EavesManifest
import EavesRules

extension Catalog {
    /// The modules of a manifest as a host sees them: where several files have one id, it takes the first
    /// one that a launch would load. Looks at no module yet.
    ///
    /// - Parameters:
    ///   - standing: Modules that stand as they are, by their ids, whatever their files are now.
    ///   - held: The files of loaded modules, by their ids.
    package convenience init(
        manifest: Manifest, profile: HostProfile, hostServices: Set<String> = [],
        standing: [String: CatalogEntry] = [:], holding held: [String: String] = [:]
    ) {
        self.init(
            manifest: manifest, profile: profile, hostServices: hostServices, standing: standing,
            holding: held, table: TableFile(in: manifest.store),
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

extension Outlook {
    /// Looks at no module yet.
    ///
    /// - Parameter held: The files of loaded modules, by their ids.
    package init(_ manifest: Manifest, holding held: [String: String] = [:]) {
        self.init(
            manifest: manifest,
            catalog: Catalog(
                manifest: manifest, profile: .current, hostServices: LazyLoader.hostServices,
                holding: held))
    }
}

extension Catalog {
    /// How often a module's file may be exchanged while a module is being loaded.
    private static let attempts = 10

    /// Runs a function for a module, and once more if its file was exchanged since the catalog has looked at it.
    package static func knowing<Result>(
        _ entry: CatalogEntry, _ catalog: () -> Catalog,
        _ body: (CatalogEntry) throws(ModuleError) -> Result
    ) throws(ModuleError) -> Result {
        var entry = entry
        for _ in 1..<attempts {
            do throws(ModuleError) {
                return try body(entry)
            } catch {
                guard error.meansChanging else { throw error }
                let catalog = catalog()
                catalog.refresh()
                entry = catalog.entry(entry.id) ?? entry
            }
        }
        return try body(entry)
    }
}
