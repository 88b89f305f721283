// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesLoader

/// What a host tells of its work.
package enum HostEvent: Sendable {
    /// A module has been loaded and has registered.
    case loaded(CatalogEntry, Duration)
    /// A module logged something while it registered.
    case logged(CatalogEntry, LogMessage)
}
