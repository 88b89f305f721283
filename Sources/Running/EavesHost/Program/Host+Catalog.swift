// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesCatalog
package import EavesDiagnostics
public import EavesManifest
import EavesModules

extension Host {
    /// The features of all modules, sorted by name, then by module. Runs no module's code.
    ///
    /// The host looks at the modules once, and again after a build or ``refresh()``.
    public var features: [CatalogFeature] { modules.catalog.features }

    /// All modules that the manifest leads to, in whatever state, sorted by id. Runs no module's code.
    public var catalog: [CatalogEntry] { modules.catalog.entries }

    /// The module that an id stands for; `nil` if there is none.
    ///
    /// - Parameter id: The module's id.
    public func module(_ id: String) -> CatalogEntry? {
        modules.catalog.entry(id)
    }

    /// The feature that the manifest launches when none is named; `nil` if it names none.
    public var defaultFeature: String? { modules.manifest.launch }

    /// The manifest's file, as an absolute path.
    public var manifestPath: String { modules.manifest.path }

    /// Looks at all modules again, for files that were added or changed since. Modules that are loaded
    /// stay as they are.
    package func refresh() {
        modules.catalog.refresh()
    }

    package var knownModules: Catalog { modules.catalog }

    package var manifest: Manifest { modules.manifest }

    package func entry(_ id: String) throws(UnknownModuleError) -> CatalogEntry {
        guard let entry = modules.catalog.entry(id) else {
            throw UnknownModuleError(id: id, known: catalog.map(\.id))
        }
        return entry
    }

    /// The bindings that decide which module provides a service: those of the manifest, in its order, as they
    /// were when the host was made, and those that were demanded for this host.
    public var bindings: [ChosenBinding] { modules.manifest.chosen.choices }

    /// The bindings as a container has them that chooses by these values, in addition to those of the host;
    /// see ``ServiceContainer/child(choosingBy:)``. Loads nothing.
    ///
    /// - Parameter values: The values of keys, such as `["user": "alice"]`.
    public func bindings(choosingBy values: [String: String]) -> [ChosenBinding] {
        modules.manifest.chosen(by: choices(values)).choices
    }
}

package struct UnknownModuleError: Error, Hashable, Sendable {
    package let id: String
    package let known: [String]

    package init(id: String, known: [String]) {
        self.id = id
        self.known = known
    }
}

extension UnknownModuleError: Diagnosable {
    package var diagnostic: Diagnostic {
        Diagnostic(
            "there is no module \(id.quoted)" + NearMatch.suffix(for: id, among: known),
            fix: "see all modules with 'eaves list'", code: .notFound)
    }
}
