// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics

extension CatalogEntry {
    /// What the last look before loading would find, said now: no code of the module runs.
    package var binaryDiagnostics: [Diagnostic] {
        guard state == .ready else { return [] }
        do {
            try BinaryCheck.run(file, pinned: sha256)
            return []
        } catch {
            return ModuleError(self, error).diagnostics
        }
    }

    /// The symbols of the interface that it binds to the host's. Mangled.
    package func neededInterfaceSymbols(of report: BinaryReport?) -> [String] {
        report?.undefinedNames(startingWith: BinaryCheck.interfacePrefix) ?? []
    }
}
