// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

extension TemporaryFolder {
    /// The catalog's table in the store of this folder's manifest.
    var table: String { Path.join(path, ".eaves/catalog") }

    /// Writes a manifest, and adds three modules with a service and a feature each.
    func addThree(offering further: String...) throws {
        try write(#"{ "manifest": 1 }"#, to: "manifest.json")
        for id in ["users", "login", "home"] {
            try add(
                .sample(
                    id, provides: ["\(id)Service"], requires: ["Routing"],
                    features: [id] + further))
        }
    }

    func load() throws -> Manifest {
        try Manifest.load(Path.join(path, "manifest.json"))
    }

    /// Returns the catalog by the table, a minute from now, when all files have settled.
    func catalogLater() throws -> Catalog {
        let manifest = try load()
        return catalog(manifest, at: WallClock.now + 60_000_000_000)
    }

    func catalogWithoutTable() throws -> Catalog {
        let catalog = Catalog(
            manifest: try load(), profile: .sample, table: nil, clock: { WallClock.now })
        _ = catalog.readCount
        return catalog
    }

    /// A catalog that has looked at all files, at this time.
    func catalog(_ manifest: Manifest, at time: Int64) -> Catalog {
        let catalog = Catalog(
            manifest: manifest, profile: .sample, table: TableFile(in: manifest.store),
            clock: { time })
        _ = catalog.readCount
        return catalog
    }

    /// Writes a table, without waiting for the disk.
    func putTable(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        let file = try #require(fopen(table, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }

    /// Replaces what is in a file and leaves the file as it is otherwise; ends when the file system's
    /// clock has ticked.
    func overwrite(_ name: String, with declaration: ModuleDeclaration) throws {
        let bytes = try Binaries.module(ModuleNote(declaration: declaration, tag: .sample))
        let path = file(name)
        let before = try FileStatus(path: path).changed
        repeat {
            let file = try #require(fopen(path, "r+"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        } while try FileStatus(path: path).changed == before
    }
}

/// Both say the same of everything.
func expectSame(
    _ catalog: Catalog, _ other: Catalog, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(catalog.entries == other.entries, sourceLocation: sourceLocation)
    #expect(catalog.diagnostics == other.diagnostics, sourceLocation: sourceLocation)
    for entry in other.entries {
        #expect(catalog.entry(entry.id) == other.entry(entry.id), sourceLocation: sourceLocation)
    }
}

extension TemporaryFolder {
    /// The catalog of a manifest in this folder.
    func catalog(
        _ manifest: String = #"{ "manifest": 1 }"#, profile: HostProfile = .sample,
        hostServices: Set<String> = [], holding held: [String: String] = [:],
        examine: @escaping @Sendable (CatalogEntry) -> [Diagnostic] = { _ in [] }
    ) throws -> Catalog {
        try createFolder("Plugins")
        let path = try write(manifest, to: "manifest.json")
        let manifest = try Manifest.load(path)
        return Catalog(
            manifest: manifest, profile: profile, hostServices: hostServices, holding: held,
            table: TableFile(in: manifest.store), examination: ModuleExamination(problems: examine))
    }
}

extension TemporaryFolder {
    /// Everything that there is: good and bad files, links, duplicates, sources with and without a
    /// file, and a manifest that has a word on most of it.
    func addEverything() throws {
        try add(.sample("users", provides: ["UserService"], features: ["users"]))
        try add(.sample("users-v2", provides: ["UserService"]))
        try add(.sample("double", features: ["a"]), as: "Plugins/one.so")
        try add(.sample("double", features: ["b"]), as: "Plugins/two.so")
        try add(.sample("listed", provides: ["Listed"]), as: "vendor/l.so")
        try add(.sample("listed", provides: ["Listed"]), as: "Plugins/listed.so")
        try add(.sample("mine", requires: ["UserService"]), as: "vendor/other.so")
        try add(.sample("off", features: ["off"]))
        try add(.sample("swapped", features: ["swapped"]), as: "Plugins/source.so")
        try write("no module", to: "Plugins/bad.so")
        try write(Binaries.withoutNote.get(), to: "Plugins/nameless.so")
        try write("text", to: "Plugins/built.so")
        #expect(symlink("../vendor/l.so", Path.join(path, "Plugins/link.so")) == 0)
        #expect(symlink("nowhere", Path.join(path, "Plugins/dangling.so")) == 0)
        try addSource(.sample("source", features: ["source"]), in: "Plugins/Source")
        try addSource(.sample("built", provides: ["Built"]), in: "Plugins/Built")
        try addSource(.sample("unbuilt", features: ["unbuilt"]), in: "Plugins/Unbuilt")
        try write("{", to: "Plugins/Broken/module.json")
        try write(
            """
            { "manifest": 1, "directories": ["Plugins", "missing"],
              "modules": { "listed": { "library": "vendor/l.so" },
                           "mine": { "library": "vendor/other.so", "settings": { "a": 1 } },
                           "wrong": { "library": "Plugins/users-v2.so" },
                           "off": { "enabled": false }, "nowhere": {} },
              "bindings": { "UserService": "users", "Ghost": "users" } }
            """, to: "manifest.json")
    }
}
