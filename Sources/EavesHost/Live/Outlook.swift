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
    ///
    /// - Parameter standing: Loaded modules by their ids, as they were when they were loaded: the host goes
    ///   on with them, whatever their files are now.
    init(_ manifest: Manifest, standing: [String: CatalogEntry] = [:]) {
        self.manifest = manifest
        catalog = Catalog(
            manifest: manifest, profile: .current, hostServices: LazyLoader.hostServices,
            standing: standing)
    }
}
