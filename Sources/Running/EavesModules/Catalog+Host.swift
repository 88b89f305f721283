// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
package import EavesCatalog
package import EavesDeclaration
import EavesInterface
package import EavesLife
package import EavesManifest
import EavesRules
import EavesSystem

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

extension HostProfile {
    /// The profile of this host: its ABI, its interface, the Swift runtime that it runs with, and the
    /// interface modules that are linked into it.
    package static var current: HostProfile {
        var profile = bare
        profile.interfaces = LinkedInterfaces.inProfile
        return profile
    }

    private static let bare = HostProfile(
        abi: Int(EAVES_ABI_VERSION),
        interface: InterfaceVersion(
            major: Int(EAVES_INTERFACE_MAJOR), minor: Int(EAVES_INTERFACE_MINOR)),
        // Major and minor version: patch releases of Swift keep the ABI of their runtime.
        compiler: _SwiftStdlibVersion.current.description.split(separator: ".").prefix(2)
            .map(String.init).chained(by: "."))
}

extension Outlook {
    /// The catalog of this host, with the table in the manifest's store, and the rules of a launch as its closer look.
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
