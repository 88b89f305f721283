// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesManifest

/// The manifest and the modules that a host goes by. A host that follows the disk gets another outlook
/// whenever something has changed there; any other host keeps its first one.
package struct Outlook: Sendable {
    package let manifest: Manifest
    package let catalog: Catalog

    package init(manifest: Manifest, catalog: Catalog) {
        self.manifest = manifest
        self.catalog = catalog
    }

    /// The same files, with another choice between modules.
    ///
    /// - Parameter standing: Loaded modules by their ids, as they were when they were loaded: the host goes
    ///   on with them, whatever their files are now.
    package init(_ other: Outlook, choosing manifest: Manifest, standing: [String: CatalogEntry]) {
        self.manifest = manifest
        catalog = Catalog(asSeenBy: other.catalog, choosing: manifest, standing: standing)
    }
}
