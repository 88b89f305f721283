// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLife
package import EavesCatalog

/// Where the files of modules come from: brings them up to date before they are loaded.
package protocol ModuleSource: Sendable {
    /// Builds those of the modules that are missing or stale.
    ///
    /// - Returns: Whether any file changed.
    /// - Throws: If one of them cannot be built.
    func freshen(_ modules: [CatalogEntry]) throws -> Bool
}

/// Takes the files as they are.
package struct NoSource: ModuleSource {
    package init() {}

    package func freshen(_ modules: [CatalogEntry]) -> Bool { false }
}
