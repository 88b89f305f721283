// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics

/// A module that was to be built has a file, and no sources here.
package struct NoSourcesError: Error, Sendable {
    package let entry: CatalogEntry

    package init(entry: CatalogEntry) {
        self.entry = entry
    }
}

extension NoSourcesError: Diagnosable {
    package var diagnostic: Diagnostic {
        let (id, path) = (entry.id, entry.path)
        return Diagnostic(
            "the module \(id.quoted) has no sources here, only its file \(path)",
            fix: "name the folder of its sources: 'eaves build FOLDER -o \(path.shellPath)'",
            code: .notFound)
    }
}
