// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesHost
import EavesManifest
import EavesModules
import EavesTrust

/// Finds the modules that operands name: `ID`, or `FILE-OR-ID`.
struct ModuleOperands {
    /// `nil` if there is none, or none is needed.
    let manifest: Manifest?
    let catalog: Catalog?

    /// - Parameter manifest: The one to look up ids in; without it, only files are found.
    init(in manifest: Manifest?) {
        self.manifest = manifest
        catalog = manifest.map { Catalog(manifest: $0, profile: .current) }
    }

    /// The module that an operand `FILE-OR-ID` names. A file may hold anything: the entry says so.
    func module(_ operand: String) throws(CommandError) -> CatalogEntry {
        if operand.namesFile {
            let entry = file(operand)
            return catalog?.checkingInterfaces(of: entry) ?? entry
        }
        guard let entry = catalog?.entry(operand) else {
            throw .noFileOrModule(operand, known: catalog?.entries.map(\.id) ?? [])
        }
        return entry
    }

    /// A module's file, looked at by itself: what the manifest says about it does not count, except
    /// for the compilers that the manifest allows, and the interfaces that it leads to.
    private func file(_ path: String) -> CatalogEntry {
        let profile = HostProfile.current.allowing(compilers: manifest?.compilers ?? [])
        return Catalog.inspect(file: path, manifest?.trust ?? .own, profile: profile)
    }
}

extension Catalog {
    func module(_ id: String) throws(CommandError) -> CatalogEntry {
        guard let entry = entry(id) else { throw .noModule(id, known: entries.map(\.id)) }
        return entry
    }
}

extension String {
    /// Whether an operand `FILE-OR-ID` is a file: it has a slash, or ends in `.so`.
    var namesFile: Bool { contains("/") || hasSuffix(".so") }
}
