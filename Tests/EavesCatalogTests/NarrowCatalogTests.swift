// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesSystem
import EavesTestSupport
import Testing

@Suite("A narrow catalog")
struct NarrowCatalogTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try folder.createFolder("Plugins")
        for id in ["users", "login", "home"] {
            try folder.add(
                .sample(id, provides: ["\(id)Service"], requires: ["Routing"], features: [id]))
        }
    }

    /// `nil` where a whole one has to be made.
    private func narrow() throws -> Catalog? {
        Catalog(narrow: try folder.load(), profile: .sample)
    }

    @Test("answers as a whole one, and is one as soon as it is asked for all")
    func same() throws {
        try folder.write(
            """
            { "manifest": 1,
              "modules": { "home": { "enabled": false },
                           "mine": { "library": "vendor/l.so", "settings": { "a": 1 } } } }
            """, to: "manifest.json")
        try folder.add(.sample("mine", features: ["mine"]), as: "vendor/l.so")
        try folder.add(.sample("users", provides: ["usersService"]), as: "Plugins/again.so")
        try folder.addSource(.sample("login", features: ["login"]), in: "Plugins/Login")
        let whole = try folder.catalogLater()
        for name in ["users", "login", "home", "mine", "nobody"] {
            let catalog = try #require(try narrow())
            #expect(catalog.modules(offering: name) == whole.modules(offering: name))
            let service = "\(name)Service"
            #expect(catalog.modules(providing: service) == whole.modules(providing: service))
            #expect(catalog.isNarrow)
            #expect(!catalog.isOutdated)
        }
        #expect(try narrow()?.entries == whole.entries)
        #expect(try narrow()?.listing.entries == whole.entries)
    }

    @Test("reads of a long cache what it needs, and believes only that")
    func pieces() throws {
        for number in 0..<100 {
            try folder.add(.sample("other-\(number)", features: ["other-\(number)"]))
        }
        let whole = try folder.catalogLater()
        let bytes = try Files.read(folder.cache)
        #expect(bytes.count > 4 * 4096)
        // In the middle of each block but the first and the last.
        var damageUnseen = 0
        for place in stride(from: 32 + 4096 + 2048, to: bytes.count - 4096, by: 4096) {
            var damaged = bytes
            damaged[place] ^= 1
            try folder.putCache(damaged)
            guard let catalog = try narrow() else { continue }
            let found = catalog.modules(offering: "users")
            if catalog.isOutdated { continue }
            #expect(found == whole.modules(offering: "users"))
            damageUnseen += 1
        }
        #expect(damageUnseen > 0)
        try folder.putCache(bytes)
        for number in [0, 50, 99] {
            let catalog = try #require(try narrow())
            let name = "other-\(number)"
            #expect(catalog.modules(offering: name) == whole.modules(offering: name))
        }
        #expect(try narrow()?.entries == whole.entries)
    }

    @Test("is not to be had without a cache, or if a directory or what the manifest lists changed")
    func notToBeHad() throws {
        #expect(try narrow() == nil)
        _ = try folder.catalogLater()
        #expect(try narrow() != nil)
        let added = try folder.add(.sample("added"))
        #expect(try narrow() == nil)
        _ = try folder.catalogLater()
        #expect(try narrow() != nil)
        try Files.remove(added)
        #expect(try narrow() == nil)
        try folder.add(.sample("mine"), as: "vendor/l.so")
        try folder.write(
            #"{ "manifest": 1, "modules": { "mine": { "library": "vendor/l.so" } } }"#,
            to: "manifest.json")
        #expect(try narrow() == nil)
        _ = try folder.catalogLater()
        #expect(try narrow() != nil)
        let note = ModuleNote(declaration: .sample("mine", features: ["new"]), tag: .sample)
        try folder.overwrite(Binaries.module(note), in: Path.join(folder.path, "vendor/l.so"))
        #expect(try narrow() == nil)
        try folder.write(#"{ "manifest": 1, "directories": ["Other"] }"#, to: "manifest.json")
        #expect(try narrow() == nil)
    }

    @Test("is not to be had where what a file says is not kept")
    func notKept() throws {
        try folder.write("no module", to: "Plugins/bad.so")
        _ = try folder.catalogLater()
        #expect(try narrow() == nil)
        try Files.remove(Path.join(folder.path, "Plugins/bad.so"))
        _ = try folder.catalogLater()
        #expect(try narrow() != nil)
        // Changed so shortly before the cache was written that it could change again unseen.
        try folder.add(.sample("new"))
        let manifest = try folder.load()
        _ = Catalog(
            manifest: manifest, profile: .sample, cache: CacheFile(in: manifest.store),
            now: try FileStatus(path: Path.join(folder.path, "Plugins/new.so")).changed)
        #expect(try narrow() == nil)
    }

    @Test("says so if what it was asked for has changed, and leaves it out")
    func outdated() throws {
        _ = try folder.catalogLater()
        let note = ModuleNote(declaration: .sample("users", features: ["new"]), tag: .sample)
        try folder.overwrite(
            Binaries.module(note), in: Path.join(folder.path, "Plugins/users.so"))
        let catalog = try #require(try narrow())
        #expect(catalog.modules(offering: "login").map(\.id) == ["login"])
        #expect(!catalog.isOutdated)
        #expect(catalog.modules(offering: "users").isEmpty)
        #expect(catalog.isOutdated)
        #expect(try folder.catalogLater().modules(offering: "new").map(\.id) == ["users"])
    }

    @Test("keeps to what it has seen, whatever happens to the file later")
    func seenOnce() throws {
        _ = try folder.catalogLater()
        let catalog = try #require(try narrow())
        let seen = catalog.modules(offering: "users")
        #expect(seen.map(\.id) == ["users"])
        let note = ModuleNote(declaration: .sample("users", features: ["new"]), tag: .sample)
        try folder.overwrite(
            Binaries.module(note), in: Path.join(folder.path, "Plugins/users.so"))
        #expect(catalog.modules(offering: "users") == seen)
        #expect(catalog.modules(providing: "usersService") == seen)
        #expect(!catalog.isOutdated)
    }
}
