// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog

/// Why a binding was not changed.
package enum SwapError: Error, Sendable {
    case unknownService(String, known: [String])
    case unknownModule(String, known: [String])
    case notProvided(service: String, module: String, providers: [String])
    /// The module cannot be loaded, or is disabled.
    case unusable(CatalogEntry)
    case nothingToUndo
    /// The service is no longer bound to what the last swap left.
    case changedSince(Swap, found: String?)
    /// The history is not what was written. The path of its file.
    case damagedHistory(String)
}
