// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesManifest
import EavesSystem

/// What is known of all modules without running any of them.
package struct Catalog: Sendable {
    /// Sorted by id, then by path.
    package let entries: [CatalogEntry]
    /// What is wrong beside the modules: with the manifest's directories and bindings, and with
    /// sources whose module is there all the same.
    package let diagnostics: [Diagnostic]

    /// Of these, what is wrong with the notes of the quarantine: a module may be let in that should
    /// not be.
    package let quarantineFaults: [Diagnostic]

    /// The places in ``entries`` of those that have their id to themselves.
    private let indexByID: [String: Int]

    /// Looks at every module of a manifest. What is wrong with one is said in its entry and harms no
    /// other. No module's code runs.
    package init(manifest: Manifest, profile: HostProfile) {
        var scan = CatalogScan(
            manifest: manifest, profile: profile.allowing(compilers: manifest.compilers))
        scan.run()
        let found = scan.found.sorted {
            ($0.entry.id, $0.entry.path) < ($1.entry.id, $1.entry.path)
        }
        entries = LayerRule.applied(to: found.map(\.entry))
        let used = found.indices.filter { found[$0].isUsed }
        indexByID = Dictionary(
            used.map { (found[$0].entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        let bindings = BindingCheck(manifest, entries: entries, indexByID: indexByID)
        quarantineFaults = scan.quarantineFaults
        diagnostics =
            scan.diagnostics + bindings.faults.map(\.diagnostic) + scan.quarantineFaults
    }

    /// The module that an id stands for, in whatever state it is.
    package func entry(_ id: String) -> CatalogEntry? {
        indexByID[id].map { entries[$0] }
    }

    /// The modules that provide a service and are ready, or can be built. Sorted by id.
    package func providers(of service: String) -> [CatalogEntry] {
        entries.filter { $0.isAvailable && $0.declaration?.provides(service) == true }
    }

    /// The modules that offer a feature and are ready, or can be built. Sorted by id.
    package func modules(offering feature: String) -> [CatalogEntry] {
        entries.filter { $0.isAvailable && $0.declaration?.offers(feature) == true }
    }

    /// Every service that an available module provides, sorted.
    package var services: [String] {
        names { $0.provides.map(\.service) }
    }

    /// Every feature that an available module offers, sorted.
    package var features: [String] {
        names { $0.features.map(\.name) }
    }

    private func names(_ names: (ModuleDeclaration) -> [String]) -> [String] {
        Set(entries.filter(\.isAvailable).compactMap(\.declaration).flatMap(names)).sorted()
    }
}

extension Catalog {
    /// Looks at one file, anywhere on the disk. No code of it runs.
    ///
    /// - Parameters:
    ///   - folder: That of the manifest that it is for, as an absolute path.
    ///   - checksTrust: Whether it counts who can change the file. A file in memory has no place
    ///     where that could be seen.
    package static func inspect(
        file path: String, for folder: String? = nil, checksTrust: Bool = true,
        profile: HostProfile
    ) -> CatalogEntry {
        let file = Path.absolute(path)
        var entry = CatalogEntry(file: file, shownAs: path, profile: profile)
        if checksTrust, entry.status != nil,
            let fault = TrustCheck(from: folder).fault(of: TrustPlace(file, .module))
        {
            entry.problem = .untrusted(fault)
        }
        return entry
    }
}
