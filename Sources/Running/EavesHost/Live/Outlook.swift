// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest

/// The manifest and the modules that a host goes by. A host that follows the disk gets another outlook
/// whenever something has changed there; any other host keeps its first one.
struct Outlook: Sendable {
    let manifest: Manifest
    let catalog: Catalog

    /// Looks at no module yet.
    init(_ manifest: Manifest) {
        self.manifest = manifest
        catalog = Catalog(
            manifest: manifest, profile: .current, hostServices: LazyLoader.hostServices)
    }

    /// The same files, with another choice between modules.
    ///
    /// - Parameter standing: Loaded modules by their ids, as they were when they were loaded: the host goes
    ///   on with them, whatever their files are now.
    init(_ other: Outlook, choosing manifest: Manifest, standing: [String: CatalogEntry]) {
        self.manifest = manifest
        catalog = Catalog(asSeenBy: other.catalog, choosing: manifest, standing: standing)
    }
}
