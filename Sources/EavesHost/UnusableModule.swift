// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics

/// A module that the catalog has found unfit to be loaded.
package struct UnusableModule: Error, Diagnosable {
    package let entry: CatalogEntry

    package var diagnostics: [Diagnostic] { entry.diagnostics }
}
