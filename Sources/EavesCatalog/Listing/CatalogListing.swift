// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// All modules, for a list of them: those that there is something to say about, and the plain ones.
package struct CatalogListing: Sendable {
    /// Sorted by id, then by path.
    package let entries: [CatalogEntry]
    /// Everything that is not among the entries. None has the id of an entry.
    package let plain: PlainModules
    /// How messages and lists name the manifest's directories, in the order of the manifest.
    package let directories: [String]
    /// What is wrong beside the modules.
    package let diagnostics: [Diagnostic]
}
