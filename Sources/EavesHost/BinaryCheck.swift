// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesLoader
import EavesManifest
import EavesSystem

/// The last look at a module's file before it is loaded: its digest, its signature, its symbols.
package enum BinaryCheck {
    /// - Parameters:
    ///   - file: The copy that is about to be loaded.
    ///   - entry: The module, as the catalog knows it.
    ///   - catalog: All modules.
    ///   - manifest: What demands a digest or a signature, if anything does.
    /// - Returns: What was looked at, to explain what the dynamic linker says.
    static func run(
        _ file: String, of entry: CatalogEntry, among catalog: Catalog, in manifest: Manifest
    ) throws -> BinaryView {
        try checkDemands(file, of: entry, in: manifest)
        let view = try BinaryView(
            of: file, entry, among: catalog, origin: Path.parent(of: file))
        let problems = problems(of: view)
        guard problems.isEmpty else { throw BinaryFaults(faults: problems) }
        return view
    }

    /// Everything that keeps the module from being loaded, but for symbols that nobody has: those
    /// the dynamic linker looks for itself, before any code of the module runs.
    static func problems(of view: BinaryView) -> [any Error] {
        var problems: [any Error] = []
        if let problem = view.entryProblem() { problems.append(problem) }
        let faults = [
            view.copyProblem(), view.interfaceProblem(), view.linkProblem(), view.libraryProblem(),
            view.layerProblem(),
        ]
        return problems + faults.compactMap { $0 }
    }

    /// What is behind the dynamic linker's words: it names one symbol, and nobody's.
    static func explain(_ failure: LoadError, of view: BinaryView) -> any Error {
        guard case .undefinedSymbol = failure else { return failure }
        let faults = [view.foreignSymbolProblem(), view.symbolProblem()].compactMap { $0 }
        return faults.isEmpty ? failure : BinaryFaults(faults: faults)
    }
}
