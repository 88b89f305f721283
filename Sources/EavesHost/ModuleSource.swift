// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog

/// Where modules' files come from: brings them up to date before they are loaded.
package protocol ModuleSource: Sendable {
    /// Builds what is missing or stale of these modules.
    ///
    /// - Returns: Whether any file changed.
    /// - Throws: If one cannot be built.
    func freshen(_ modules: [CatalogEntry]) throws -> Bool
}

/// Takes the files as they are.
package struct NoSource: ModuleSource {
    package init() {}

    package func freshen(_ modules: [CatalogEntry]) -> Bool { false }
}
