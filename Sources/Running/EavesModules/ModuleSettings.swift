// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
package import EavesJSON
import EavesLife
import EavesManifest
package import EavesRegistry
import EavesSystem

extension StagedRegistrar {
    /// The text of settings for a module in C, which has asked for it: a JSON object.
    ///
    /// - Parameter members: The settings in the manifest's entry.
    package func settingsText(_ members: [JSON.Member]) -> String {
        // Counts as reading them.
        _ = settings
        return JSON.object(members).text(pretty: false)
    }
}

extension CatalogEntry {
    /// The warning about settings that the module never asks for, so that they have no effect.
    func ignoredSettings(in manifest: Manifest) -> Diagnostic {
        let names = settings.map { "'\($0.name)'" }.joined(separator: ", ")
        let place = Path.relative(manifest.path, to: Path.current)
        return Diagnostic(
            "\(id): ignores its settings \(names) (\(place))",
            fix:
                "remove modules.\(id).settings from the manifest, or use a version of the module that "
                + "reads them",
            code: .badData)
    }
}
