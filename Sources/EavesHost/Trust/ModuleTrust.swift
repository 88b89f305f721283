// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesCatalog
import EavesLoader
import EavesManifest
import EavesSystem

/// The last look at who can change a module, when it is about to be loaded.
///
/// The catalog has looked before. What it found may be old by now; and it did not look at the store.
struct ModuleTrust: Sendable {
    private let check: TrustCheck
    private let manifest: Manifest

    init(_ manifest: Manifest) {
        self.manifest = manifest
        check = TrustCheck(manifest)
    }

    /// - Throws: ``UnusableModule`` if others can change the module, the manifest, or the copies that
    ///   are loaded.
    func run(_ entry: CatalogEntry) throws(UnusableModule) {
        let fault =
            TrustCheck.error(of: manifest) ?? check.error(of: TrustPlace(entry.file, .module))
            ?? check.error(ofStore: manifest.store)
        if let fault { throw Self.refused(entry, fault) }
    }

    /// The same of the file that the copy was made of, whatever stands under its name by now.
    func run(_ entry: CatalogEntry, copied: ShadowCopy.Made) throws(UnusableModule) {
        let place = TrustPlace(entry.file, .module)
        if let fault = TrustRule.error(of: copied.original, at: place) {
            throw Self.refused(entry, fault)
        }
    }

    private static func refused(_ entry: CatalogEntry, _ fault: TrustError) -> UnusableModule {
        var refused = entry
        refused.problem = .untrusted(fault)
        return UnusableModule(entry: refused)
    }
}
