// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
package import EavesRegistry

/// A mistake in how a manifest, its modules, and what they say of themselves fit together.
package enum HostProblem: Error, Sendable {
    /// Of the manifest itself: a directory, a binding.
    case manifest(Diagnostic)
    /// A module that is switched on cannot be used.
    case module(CatalogEntry)
    /// A feature or service has no provider, or several.
    case plan(PlanProblem)
    /// Modules ask each other for services, in a circle: each of them the next one's.
    case circle([Requirement])
    /// A module cannot be loaded.
    case loading(ModuleError)
    /// What modules register does not fit together.
    case registration(ValidationProblem)

    /// What kind it is, in one word, for JSON.
    package var kind: String {
        switch self {
        case .manifest: "manifest"
        case .module: "module"
        case .plan(.nobody), .registration(.missing): "missing"
        case .plan(.several), .registration(.ambiguous): "ambiguous"
        case .plan(.unusableBinding): "binding"
        case .circle, .registration(.cycle): "cycle"
        case .loading: "load"
        case .registration(.captive): "captive"
        }
    }
}
