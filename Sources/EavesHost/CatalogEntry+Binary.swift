// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesCatalog
package import EavesDiagnostics
import EavesLoader
package import EavesManifest

extension CatalogEntry {
    /// What the last look before loading would find, and the dynamic linker behind it, said now: no
    /// code of the module runs.
    ///
    /// - Parameters:
    ///   - catalog: All modules; without it nothing is said about other ones.
    ///   - manifest: The one that the module is for, if there is one.
    package func binaryDiagnostics(
        among catalog: Catalog?, in manifest: Manifest?
    ) -> [Diagnostic] {
        guard state == .ready else { return [] }
        do {
            try BinaryCheck.checkDemands(file, of: self, in: manifest)
            let copies = manifest.map { ShadowCopy.folder(in: $0.store) }
            let view = try BinaryView(of: file, self, among: catalog, origin: copies)
            var problems = BinaryCheck.problems(of: view)
            if let fault = view.foreignSymbolProblem() { problems.append(fault) }
            if let fault = view.symbolProblem() { problems.append(fault) }
            return problems.flatMap { ModuleError(self, $0).diagnostics }
        } catch {
            return ModuleError(self, error).diagnostics
        }
    }

    /// What the module uses and its `requires` does not name, which keeps nobody from loading it.
    package func undeclaredServices(among catalog: Catalog) -> [String] {
        // Of a file that cannot be read the problems tell.
        let view = try? BinaryView(of: file, self, among: catalog, origin: nil)
        return view?.undeclaredServices() ?? []
    }

    /// The symbols of the interface that it binds to the host's. Mangled.
    package func neededInterfaceSymbols(of report: BinaryReport?) -> [String] {
        report?.undefinedNames(startingWith: BinaryView.interfacePrefix) ?? []
    }
}
