// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesLoader
import EavesSystem

/// The last look at a module's file before it is loaded: its digest and its symbols.
enum BinaryCheck {
    /// - Parameters:
    ///   - file: The copy that is about to be loaded.
    ///   - pinned: The SHA-256 that the manifest demands.
    ///   - entry: The module.
    ///   - catalog: All modules.
    /// - Returns: What was looked at, to explain what the dynamic linker says.
    static func run(
        _ file: String, pinned: String?, of entry: CatalogEntry, among catalog: Catalog
    ) throws -> BinaryView {
        try checkDigest(of: file, pinned: pinned)
        let view = try BinaryView(
            of: file, entry, among: catalog, origin: Path.parent(of: file))
        let problems = problems(of: view)
        guard problems.isEmpty else { throw BinaryFaults(faults: problems) }
        return view
    }

    static func checkDigest(of file: String, pinned: String?) throws {
        guard let pinned else { return }
        let found = try SHA256.digest(of: Files.read(file)).hex
        guard found == pinned else { throw BinaryFault.digest(expected: pinned, found: found) }
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
    static func explain(_ failure: LoadFailure, of view: BinaryView) -> any Error {
        guard case .undefinedSymbol = failure else { return failure }
        let faults = [view.foreignSymbolProblem(), view.symbolProblem()].compactMap { $0 }
        return faults.isEmpty ? failure : BinaryFaults(faults: faults)
    }
}
