// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("Two modules with one id")
struct CatalogDuplicatesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the first by name is used, and the other says which")
    func byName() throws {
        try folder.add(.sample("users", provides: ["A"]), as: "Plugins/b.so")
        try folder.add(.sample("users", provides: ["B"]), as: "Plugins/a.so")
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.path) == ["Plugins/a.so", "Plugins/b.so"])
        #expect(catalog.entries.map(\.state) == [.ready, .invalid])
        #expect(catalog.entry("users")?.path == "Plugins/a.so")
        #expect(catalog.modules(providing: "A", name: nil).map(\.state) == [.invalid])
        #expect(
            catalog.entries[1].diagnostics.map(\.message)
                == [
                    "users: another module has the same id, and eaves uses that one: "
                        + "Plugins/a.so (Plugins/b.so)"
                ])
        #expect(
            catalog.entries[1].diagnostics.map(\.fix) == [
                "remove Plugins/a.so or Plugins/b.so, or name the one to use in the manifest: "
                    + "modules.users.library"
            ])
    }

    @Test("the file that a host has loaded is used while it is there and no other is listed")
    func loaded() throws {
        let file = try folder.add(.sample("users"), as: "Plugins/b.so")
        try folder.add(.sample("users"), as: "Plugins/a.so")
        func found(_ manifest: String = #"{ "manifest": 1 }"#) throws -> [String?] {
            let entry = try folder.catalog(manifest, holding: ["users": file]).entry("users")
            return [entry?.path, entry?.rival]
        }
        #expect(try folder.catalog().entry("users")?.rival == "Plugins/b.so")
        #expect(try found() == ["Plugins/b.so", "Plugins/a.so"])
        // The manifest says which one, so that there is nothing to tell.
        let listed = #"{ "manifest": 1, "modules": { "users": { "library": "Plugins/a.so" } } }"#
        #expect(try found(listed) == ["Plugins/a.so", nil])
        // A file that is written over has no id for a moment.
        try folder.write("text", to: "Plugins/b.so")
        #expect(try found() == ["Plugins/b.so", "Plugins/a.so"])
        // Another module in its place is not that file any more.
        try folder.add(.sample("others"), as: "Plugins/b.so")
        #expect(try found() == ["Plugins/a.so", nil])
        try Files.remove(file)
        #expect(try found() == ["Plugins/a.so", nil])
    }

    @Test("the first directory goes before the name")
    func byDirectory() throws {
        try folder.add(.sample("users"), as: "one/z.so")
        try folder.add(.sample("users"), as: "two/a.so")
        let catalog = try folder.catalog(#"{ "manifest": 1, "directories": ["one", "two"] }"#)
        #expect(catalog.entry("users")?.path == "one/z.so")
        let reversed = try folder.catalog(#"{ "manifest": 1, "directories": ["two", "one"] }"#)
        #expect(reversed.entry("users")?.path == "two/a.so")
    }

    @Test("a listed file is no duplicate of itself, under whatever name")
    func sameFile() throws {
        let file = try folder.add(.sample("users"))
        #expect(symlink(file, Path.join(folder.path, "Plugins/alias.so")) == 0)
        for library in ["Plugins/users.so", "./Plugins/../Plugins/users.so", file] {
            let catalog = try folder.catalog(
                #"{ "manifest": 1, "modules": { "users": { "library": "\#(library)" } } }"#)
            #expect(catalog.entries.map(\.path) == ["Plugins/users.so"])
            #expect(catalog.entries.map(\.state) == [.ready])
        }
    }

    @Test("a broken file takes no id away by its name")
    func brokenNamesake() throws {
        try folder.write("text", to: "Plugins/users.so")
        try folder.add(.sample("users"), as: "Plugins/working.so")
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.path == "Plugins/working.so")
        #expect(catalog.entry("users")?.state == .ready)
        let broken = try #require(catalog.entries.first { $0.path == "Plugins/users.so" })
        #expect(broken.problem == .binary(.notELF(start: Array("text".utf8))))
    }
}
