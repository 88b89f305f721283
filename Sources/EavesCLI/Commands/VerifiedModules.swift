// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// The modules that a command line of `eaves verify` names.
struct VerifiedModules {
    /// `nil` if only files are named, and no manifest is here.
    let manifest: Manifest?
    let entries: [CatalogEntry]
    /// All modules of the manifest.
    let catalog: Catalog?

    init(_ options: ParsedOptions) throws {
        let needsManifest =
            options.operands.isEmpty || options.has(.manifest)
            || !options.operands.allSatisfy(\.namesFile)
        let isHere = Manifest.find(from: Path.current) != nil
        let manifest = needsManifest || isHere ? try options.manifest() : nil
        let catalog = manifest.map { Catalog(manifest: $0, profile: .current) }
        let profile = HostProfile.current.allowing(compilers: manifest?.compilers ?? [])
        self.manifest = manifest
        self.catalog = catalog
        guard !options.operands.isEmpty else {
            entries = catalog?.entries ?? []
            return
        }
        entries = try options.operands.map { word in
            guard word.namesFile else {
                guard let entry = catalog?.entry(word) else {
                    throw LookupFault.fileOrModule(
                        word, known: catalog?.entries.map(\.id) ?? [])
                }
                return entry
            }
            let file = Path.absolute(word)
            return catalog?.entries.first { $0.file == file }
                ?? Catalog.inspect(file: word, for: options.manifestFolder, profile: profile)
        }
    }

    /// Whether the manifest knows the module: what is verified as a file may be none of its own.
    func isListed(_ entry: CatalogEntry) -> Bool {
        catalog?.entry(entry.id)?.file == entry.file
    }
}
