// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesManifest
import EavesModules
import EavesRules

/// The content of a module's file, and the reasons against loading it.
struct ModuleInspection {
    let binary: BinaryReport?
    /// The reasons why this program would not load the module; empty if it would.
    let diagnostics: [Diagnostic]
    /// The reasons why the module cannot run in a process of its own, empty if it can; `nil` if that is not known, or if
    /// it is an interface module.
    let isolationObstacles: [String]?
    /// The services that the module's code uses and its `requires` does not name.
    let undeclaredServices: [String]
    /// The interfaces that the module binds to, the interface between host and modules first. Empty if the file cannot be
    /// read.
    let interfaceUses: [InterfaceUse]
    /// The number of symbols of all interfaces that the module binds to.
    var interfaceSymbolCount: Int { interfaceUses.reduce(0) { $0 + $1.symbolCount } }

    /// An interface that a module was compiled against.
    struct InterfaceUse: Hashable {
        /// The id of the interface module; `nil` for the interface between host and modules.
        let id: String?
        /// The name of the Swift module.
        let module: String
        /// The number of its symbols that the module binds to.
        let symbolCount: Int
    }

    /// Reads the module's file.
    ///
    /// - Parameters:
    ///   - catalog: All modules, if there is a manifest.
    ///   - manifest: The one that the module is for, if there is one.
    init(_ entry: CatalogEntry, among catalog: Catalog?, in manifest: Manifest?) {
        binary = try? BinaryReport(of: entry.loadedFile)
        let inspected = InspectedModule(entry, among: catalog, in: manifest, host: .current)
        diagnostics =
            entry.diagnostics.isEmpty ? inspected.launchDiagnostics : entry.diagnostics
        undeclaredServices = inspected.undeclaredServices
        let isKnown = catalog != nil && entry.note?.declaration.layer != .interface
        isolationObstacles =
            isKnown && entry.note != nil ? inspected.isolationObstacles.map(\.words) : nil
        interfaceUses = inspected.interfaceSymbols.map { interface, symbols in
            InterfaceUse(
                id: interface.id, module: interface.module, symbolCount: symbols.count)
        }
    }
}
