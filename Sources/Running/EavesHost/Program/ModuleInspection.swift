// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
package import EavesManifest
import EavesModules
import EavesRules

extension Host {
    /// Finds out all that is known of a module, and whether this program could load it. Reads its file, and
    /// runs none of its code.
    ///
    /// - Parameter id: The module's id.
    /// - Throws: ``HostError`` if there is no such module.
    public func inspect(_ id: String) throws(HostError) -> ModuleInspection {
        try HostError.wrapping {
            ModuleInspection(try entry(id), among: modules.catalog, in: modules.manifest)
        }
    }
}

/// What a module's file says, and what speaks against loading it.
public struct ModuleInspection: Sendable {
    package let binary: BinaryReport?
    package let diagnostics: [Diagnostic]
    /// The reasons why the module cannot run in a process of its own, empty if it can; `nil` if that is not known, or if
    /// it is an interface module.
    public let isolationObstacles: [String]?

    /// The module as the catalog knows it.
    public let module: HostModule
    /// The services that the module's code uses and its `requires` does not name.
    public let undeclaredServices: [String]
    /// How many symbols of each interface the module binds to, the interface between host and modules first.
    /// Empty if the file cannot be read.
    public let interfaceUses: [InterfaceUse]
    /// How many symbols of all interfaces the module binds to.
    public var interfaceSymbolCount: Int { interfaceUses.reduce(0) { $0 + $1.symbolCount } }

    /// An interface that a module was compiled against.
    public struct InterfaceUse: Hashable, Sendable {
        /// The id of the interface module; `nil` for the interface between host and modules.
        public let id: String?
        /// The name of the Swift module.
        public let module: String
        /// How many of its symbols the module binds to.
        public let symbolCount: Int
    }

    /// The reasons why this program would not load the module; empty if it would.
    public var problems: [HostError.Problem] { diagnostics.map { HostError.Problem($0) } }
    /// The libraries that the file needs.
    public var libraries: [String] { binary?.needed ?? [] }
    /// The version of the C ABI that it was built for; `nil` if it does not say.
    public var abi: Int? { module.entry.note?.tag.abi }
    /// The version of the interface that it was compiled against; `nil` for a module of the C ABI alone.
    public var interface: String? { module.entry.note?.tag.interface?.description }
    /// The version of the Swift compiler; `nil` for a module in another language.
    public var compiler: String? { module.entry.note?.tag.compiler }
    /// The machine that it was compiled for, as the compiler names it.
    public var target: String? { module.entry.note?.tag.target }

    /// Reads the module's file.
    ///
    /// - Parameters:
    ///   - catalog: All modules, if there is a manifest.
    ///   - manifest: The one that the module is for, if there is one.
    package init(_ entry: CatalogEntry, among catalog: Catalog?, in manifest: Manifest?) {
        module = HostModule(entry)
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
