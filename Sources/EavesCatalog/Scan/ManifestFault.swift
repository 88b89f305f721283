// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// What the manifest says, where the modules that are there say otherwise.
package enum ManifestFault: Hashable, Sendable {
    /// One of `directories`, as written, cannot be listed.
    case directory(String, ManifestPlace, SystemError)
    /// A service is bound to a module that is nowhere.
    case unknownModule(String, ManifestPlace, known: [String])
    /// A service is bound to a module that does not provide it; `providers` do.
    case notProvided(String, by: String, ManifestPlace, providers: [String])
    /// No module provides the service or asks for it.
    case unknownService(String, ManifestPlace, known: [String])
}
