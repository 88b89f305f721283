// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
package import EavesLoader

/// What a host tells of its work.
package enum HostEvent: Sendable {
    /// A module is about to be loaded, from this file. Nothing of it has run.
    case loading(CatalogEntry, file: String)
    /// A module has been loaded and has registered.
    case loaded(CatalogEntry, Duration)
    /// Something is wrong that keeps nothing from going on.
    case warned(Diagnostic)
    /// A module logged something while it registered.
    case logged(CatalogEntry, LogMessage)
}
