// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("A narrow catalog")
struct NarrowCatalogTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.addThree()
    }

    /// `nil` where a whole one has to be made.
    private func narrow() throws -> NarrowModules? {
        NarrowModules(try folder.load())
    }

    /// A catalog that begins narrow where that is possible, as a launch does.
    private func catalog() throws -> Catalog {
        let manifest = try folder.load()
        return Catalog(
            manifest: manifest, profile: .sample, table: TableFile(in: manifest.store))
    }

    @Test("answers as a whole catalog does")
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
            #expect(!catalog.isOutdated)
        }
        let catalog = try catalog()
        #expect(catalog.modules(offering: "users") == whole.modules(offering: "users"))
        #expect(catalog.entries == whole.entries)
    }

    @Test("answers for each of many modules, and believes no damaged table")
    func many() throws {
        for number in 0..<100 {
            try folder.add(.sample("other-\(number)", features: ["other-\(number)"]))
        }
        let whole = try folder.catalogLater()
        let bytes = try Files.read(folder.table)
        for place in Soak.sample(32..<bytes.count, every: 5_000) {
            var damaged = bytes
            damaged[place] ^= 1
            try folder.putTable(damaged)
            #expect(try narrow() == nil)
            #expect(try catalog().modules(offering: "users") == whole.modules(offering: "users"))
        }
        try folder.putTable(bytes)
        for number in [0, 50, 99] {
            let narrow = try #require(try narrow())
            let name = "other-\(number)"
            #expect(narrow.modules(offering: name) == whole.modules(offering: name))
        }
        #expect(try catalog().entries == whole.entries)
    }

    @Test("needs a table that knows the directories and the listed files as they are")
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
        try folder.overwrite("vendor/l.so", with: .sample("mine", features: ["new"]))
        #expect(try narrow() == nil)
        try folder.write(#"{ "manifest": 1, "directories": ["Other"] }"#, to: "manifest.json")
        #expect(try narrow() == nil)
    }

    @Test("needs a table that knows what every file says")
    func notKept() throws {
        try folder.write("no module", to: "Plugins/bad.so")
        _ = try folder.catalogLater()
        #expect(try narrow() == nil)
        try Files.remove(Path.join(folder.path, "Plugins/bad.so"))
        _ = try folder.catalogLater()
        #expect(try narrow() != nil)
        // Changed so shortly before the table was written that it could change again unseen.
        try folder.add(.sample("new"))
        let manifest = try folder.load()
        _ = folder.catalog(
            manifest, at: try FileStatus(path: Path.join(folder.path, "Plugins/new.so")).changed)
        #expect(try narrow() == nil)
    }

    @Test("leaves out a file that has changed, and tells that it did")
    func outdated() throws {
        _ = try folder.catalogLater()
        try folder.overwrite("Plugins/users.so", with: .sample("users", features: ["new"]))
        let catalog = try #require(try narrow())
        #expect(catalog.modules(offering: "login").map(\.id) == ["login"])
        #expect(!catalog.isOutdated)
        #expect(catalog.modules(offering: "users").isEmpty)
        #expect(catalog.isOutdated)
        // A catalog looks at all modules then, and finds what the file says now.
        #expect(try self.catalog().modules(offering: "users").isEmpty)
        let asked = try self.catalog()
        #expect(asked.modules(offering: "users").isEmpty)
        #expect(asked.modules(offering: "new").map(\.id) == ["users"])
        #expect(try folder.catalogLater().modules(offering: "new").map(\.id) == ["users"])
    }

    @Test(
        "has other terms for its copies when a module or the manifest is another, and none while it does not know"
    )
    func terms() throws {
        let sample = ProgramInterface(
            id: "own", module: "Own", version: InterfaceVersion(major: 1, minor: 0))
        #expect(try catalog().terms == nil)
        _ = try folder.catalogLater()
        let first = try #require(try catalog().terms)
        #expect(try catalog().terms == first)
        let manifest = try folder.load()
        let table = TableFile(in: manifest.store)
        func terms(_ profile: HostProfile, _ services: Set<String> = []) -> String? {
            Catalog(manifest: manifest, profile: profile, hostServices: services, table: table)
                .terms
        }
        #expect(![nil, first].contains(terms(.sample, ["Sample.Clock"])))
        var withInterface = HostProfile.sample
        withInterface.interfaces.append(sample)
        #expect(terms(withInterface) == nil)
        // Another module is looked at when it is asked for, and then nothing is certain.
        try folder.overwrite("Plugins/users.so", with: .sample("users", features: ["new"]))
        let asked = try catalog()
        _ = asked.modules(offering: "users")
        #expect(asked.terms == nil)
        _ = try folder.catalogLater()
        let second = try #require(try catalog().terms)
        try folder.write(
            #"{ "manifest": 1, "modules": { "home": { "enabled": false } } }"#, to: "manifest.json")
        #expect(![nil, first, second].contains(try catalog().terms))
        #expect(second != first)
        // A loaded module stands as it was, and a file that changed just now can change again unseen.
        let entry = try #require(try catalog().usedEntry("users"))
        let standing = Catalog(
            manifest: manifest, profile: .sample, standing: ["users": entry], table: table)
        #expect(standing.terms == nil)
        try folder.overwrite("Plugins/users.so", with: .sample("users"))
        for _ in 0..<2 { #expect(folder.catalog(manifest, at: 0).terms == nil) }
    }

    @Test("knows the ids of modules, built or not, and looks at no file for them")
    func ids() throws {
        try folder.addSource(.sample("later"), in: "Plugins/later")
        try folder.write(
            """
            { "manifest": 1, "modules": { "users": { "leastVersion": "1" }, "home": { "enabled": false },
                "later": { "isolation": "process" }, "far": { "library": "f.so", "leastVersion": "1" } } }
            """, to: "manifest.json")
        _ = try folder.catalogLater()
        let (manifest, later) = (try folder.load(), WallClock.now + 60_000_000_000)
        var catalog: Catalog {
            Catalog(
                manifest: manifest, profile: .sample, table: TableFile(in: manifest.store),
                clock: { later })
        }
        try folder.overwrite("Plugins/users.so", with: .sample("other"))
        #expect(try catalog.checkIDs().isEmpty)
        try Files.remove(Path.join(folder.path, "Plugins/users.so"))
        #expect(throws: UnknownModulesError.self) { try catalog.checkIDs() }
    }

    @Test("reads no declaration of sources that are built, unless it was changed")
    func sources() throws {
        for id in ["users", "login", "home"] {
            try folder.addSource(.sample(id), in: "Plugins/\(id)")
        }
        try folder.addSource(.sample("later", features: ["later"]), in: "Plugins/later")
        try folder.createFolder("Plugins/pictures")
        try folder.write("{", to: "Plugins/unclear/module.json")
        try expectSame(reading: ["later", "unclear"])
        #expect(try folder.catalogLater().readCount == 0)

        let changed = ModuleDeclaration.sample("portal", features: ["portal"])
        try folder.addSource(changed, in: "Plugins/login")
        try folder.addSource(.sample("pictures", features: ["pictures"]), in: "Plugins/pictures")
        #expect(try catalog().modules(offering: "portal").map(\.id) == ["portal"])
        try expectSame(reading: ["later", "login", "pictures", "unclear"])
        // The next whole catalog has noted what the changed ones declare.
        try folder.addSource(.sample("login"), in: "Plugins/login")
        try Files.remove(Path.join(folder.path, "Plugins/pictures/module.json"))
        _ = try folder.catalogLater()
        try expectSame(reading: ["later", "unclear"])
        try Files.remove(Path.join(folder.path, "Plugins/home/module.json"))
        try expectSame(reading: ["later", "unclear"])
    }

    @Test("reads the declarations of two folders for one module, and all where a module is listed")
    func sharedSources() throws {
        try folder.write(
            #"{ "manifest": 1, "modules": { "users": { "library": "Plugins/users.so" } } }"#,
            to: "manifest.json")
        for id in ["users", "login", "home"] {
            try folder.addSource(.sample(id), in: "Plugins/\(id)")
        }
        try folder.addSource(.sample("login"), in: "Plugins/login2")
        try expectSame(reading: ["home", "login", "login2", "users"])
    }

    @Test("reads a declaration that could have changed again unseen")
    func unsettledSources() throws {
        try folder.addSource(.sample("users"), in: "Plugins/users")
        let file = Path.join(folder.path, "Plugins/users/module.json")
        // All else has settled in ten seconds, and this one in half a minute.
        let (now, second) = (WallClock.now, Int64(1_000_000_000))
        let later = timespec(tv_sec: Int(now / second) + 30, tv_nsec: 1)
        try #require(utimensat(AT_FDCWD, file, [later, later], 0) == 0)
        _ = folder.catalog(try folder.load(), at: now + 10 * second)
        #expect(try narrow() == nil)
        _ = try folder.catalogLater()
        #expect(try narrow()?.readSources == [])
    }

    /// Expects a narrow catalog to answer as a whole one does that uses no table, and to read the declarations in these
    /// folders alone.
    private func expectSame(reading folders: [String]) throws {
        if try narrow() == nil { _ = try folder.catalogLater() }
        let whole = try folder.catalogWithoutTable()
        let catalog = try #require(try narrow())
        #expect(catalog.readSources == folders)
        for name in ["users", "login", "home", "later", "portal", "pictures", "nobody"] {
            #expect(catalog.modules(offering: name) == whole.modules(offering: name), "\(name)")
            let service = "\(name)Service"
            #expect(catalog.modules(providing: service) == whole.modules(providing: service))
        }
        #expect(!catalog.isOutdated)
    }

    @Test("keeps its answer, whatever happens to the file later")
    func seenOnce() throws {
        _ = try folder.catalogLater()
        let catalog = try #require(try narrow())
        let seen = catalog.modules(offering: "users")
        #expect(seen.map(\.id) == ["users"])
        try folder.overwrite("Plugins/users.so", with: .sample("users", features: ["new"]))
        #expect(catalog.modules(offering: "users") == seen)
        #expect(catalog.modules(providing: "usersService") == seen)
        #expect(!catalog.isOutdated)
    }
}
