// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics

/// One thing in the way. A chain names the modules that led to the need, outermost first.
package enum PlanProblem: Error, Sendable {
    /// No usable module provides it. The `obstacles` may have kept one from being found: modules
    /// that cannot be read, directories that cannot be listed.
    case nobody(
        Need, unusable: [CatalogEntry], obstacles: [Diagnostic], known: [String], chain: [String])
    /// Several modules provide it, and the manifest does not choose.
    case several(Need, modules: [String], chain: [String])
    /// The manifest binds the service to a module that cannot provide it.
    case unusableBinding(service: String, module: String, entry: CatalogEntry?, chain: [String])
}
