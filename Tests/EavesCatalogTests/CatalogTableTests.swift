// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesCatalog

@Suite("The catalog's table")
struct CatalogTableTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try folder.createFolder("Plugins")
    }

    @Test("what has not changed is not read again, and is the same")
    func hit() throws {
        try folder.addThree()
        #expect(try folder.catalogLater().readCount == 3)
        let catalog = try folder.catalogLater()
        #expect(catalog.readCount == 0)
        expectSame(catalog, try folder.catalogWithoutTable())
        #expect(try FileStatus(path: folder.table).mode == 0o600)
    }

    @Test("gives the same for whatever there is, also when it is asked for one thing only")
    func everything() throws {
        try folder.addEverything()
        let whole = try folder.catalogWithoutTable()
        #expect(whole.entries.count == 16)
        _ = try folder.catalogLater()
        expectSame(try folder.catalogLater(), whole)
        let names = whole.entries.compactMap(\.declaration).flatMap { declaration in
            declaration.features.map(\.name) + declaration.provides.map(\.service)
        }
        for name in names + ["nobody"] {
            // Each asked by a catalog that has not gone through everything yet.
            #expect(
                try folder.catalogLater().modules(offering: name)
                    == whole.modules(offering: name))
            #expect(
                try folder.catalogLater().modules(providing: name, name: nil)
                    == whole.modules(providing: name, name: nil))
            #expect(
                try folder.catalogLater().modules(providing: name)
                    == whole.entries.filter { $0.declaration?.provides(name) == true })
        }
        #expect(try folder.catalogLater().readCount < whole.readCount)
    }

    @Test("a file that is put back with its old time is read again: its change has another")
    func sameTime() throws {
        let path = try folder.add(.sample("users", features: ["aaa"]))
        var times = [
            timespec(tv_sec: 1_000_000, tv_nsec: 7), timespec(tv_sec: 1_000_000, tv_nsec: 7),
        ]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let before = try FileStatus(path: path)
        _ = try folder.catalogLater()
        try folder.overwrite("Plugins/users.so", with: .sample("users", features: ["bbb"]))
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let after = try FileStatus(path: path)
        #expect(
            (before.inode, before.size, before.modified)
                == (after.inode, after.size, after.modified))
        #expect(try folder.catalogLater().modules(offering: "bbb").map(\.id) == ["users"])
    }

    @Test("a file that is gone is forgotten, and a new one is seen")
    func goneAndNew() throws {
        let path = try folder.add(.sample("users"))
        try folder.add(.sample("login"))
        _ = try folder.catalogLater()
        let size = try FileStatus(path: folder.table).size
        try Files.remove(path)
        #expect(try folder.catalogLater().entries.map(\.id) == ["login"])
        #expect(try FileStatus(path: folder.table).size < size)
        try folder.add(.sample("home"))
        let catalog = try folder.catalogLater()
        #expect(catalog.entries.map(\.id) == ["home", "login"])
        #expect(catalog.readCount == 1)
    }

    @Test("what was changed just now is not kept: it could change again unseen")
    func justNow() throws {
        try folder.add(.sample("users"))
        for _ in 0..<2 {
            let manifest = try folder.load()
            let changed = try FileStatus(path: Path.join(folder.path, "Plugins/users.so")).changed
            let catalog = folder.catalog(manifest, at: changed)
            #expect(catalog.readCount == 1)
        }
        #expect(try folder.catalogLater().readCount == 1)
        #expect(try folder.catalogLater().readCount == 0)
    }

    @Test("a directory that was changed just now is listed again: it could change again unseen")
    func directoryJustNow() throws {
        try folder.add(.sample("users"))
        let plugins = Path.join(folder.path, "Plugins")
        let changed = try FileStatus(path: plugins).changed
        _ = folder.catalog(try folder.load(), at: changed)
        let unsettled = try #require(TableFile(in: folder.load().store)?.read())
        #expect(try #require(unsettled.directory(plugins)).identity == .none)
        _ = try folder.catalogLater()
        let settled = try #require(TableFile(in: folder.load().store)?.read())
        #expect(try #require(settled.directory(plugins)).identity != .none)
    }

    @Test("is written only when there is something new to keep")
    func writtenOnce() throws {
        try folder.add(.sample("users"))
        try folder.write("no module", to: "Plugins/bad.so")
        _ = try folder.catalogLater()
        let first = try FileStatus(path: folder.table)
        #expect(try folder.catalogLater().readCount == 1)
        #expect(try FileStatus(path: folder.table) == first)
    }
}

@Suite("A catalog with a table, and one without")
struct SameWithTableTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.addThree(offering: "x")
    }

    /// Expects a catalog that has a table to say what one without says.
    private func expectSame(sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try folder.catalogLater()
        try EavesCatalogTests.expectSame(
            folder.catalogLater(), folder.catalogWithoutTable(), sourceLocation: sourceLocation)
    }

    @Test("knows a file that the manifest lists by another id, or by another name")
    func listed() throws {
        let file = Path.join(folder.path, "Plugins/home.so")
        #expect(link(file, Path.join(folder.path, "hard.so")) == 0)
        for library in ["Plugins/home.so", "hard.so"] {
            try folder.write(
                #"{ "manifest": 1, "modules": { "my": { "library": "\#(library)" } } }"#,
                to: "manifest.json")
            try expectSame()
        }
    }

    @Test("knows modules of one id, also if one of them is new or a file without one")
    func duplicates() throws {
        try folder.add(.sample("home"), as: "Plugins/second.so")
        try expectSame()
        _ = try folder.catalogLater()
        try folder.add(.sample("login"), as: "Plugins/third.so")
        try folder.write("no module", to: "Plugins/nested/users.so")
        try folder.write(
            #"{ "manifest": 1, "directories": ["Plugins", "Plugins/nested"] }"#,
            to: "manifest.json")
        try expectSame()
        try expectSame()
    }

    @Test("sees each module twice when the manifest leads to a directory by two names")
    func directoryTwice() throws {
        _ = try folder.catalogLater()
        #expect(symlink("Plugins", Path.join(folder.path, "Link")) == 0)
        for second in ["../\(Path.name(of: folder.path))/Plugins", "Link"] {
            try folder.write(
                #"{ "manifest": 1, "directories": ["Plugins", "\#(second)"] }"#,
                to: "manifest.json")
            try expectSame()
            try expectSame()
        }
    }

    @Test("sees that a file was overwritten where it lies")
    func overwritten() throws {
        try expectSame()
        try folder.overwrite(
            "Plugins/home.so", with: .sample("house", provides: ["H"], features: ["h"]))
        let catalog = try folder.catalogLater()
        #expect(catalog.readCount == 1 && catalog.entry("house") != nil)
        try expectSame()
    }

    @Test("does not trust files that others can change")
    func untrusted() throws {
        let file = Path.join(folder.path, "Plugins/home.so")
        #expect(chmod(file, 0o666) == 0)
        try expectSame()
        #expect(try folder.catalogLater().entry("home")?.state == .untrusted)
        #expect(chmod(Path.join(folder.path, "Plugins"), 0o777) == 0)
        try expectSame()
        #expect(try folder.catalogLater().entries.allSatisfy { $0.state == .untrusted })
    }

    @Test("does not trust a file of another user", .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        #expect(chown(Path.join(folder.path, "Plugins/home.so"), 12_345, 12_345) == 0)
        try expectSame()
        #expect(try folder.catalogLater().entry("home")?.state == .untrusted)
    }

    @Test("knows modules for another host, links, and core modules with needs")
    func others() throws {
        try folder.add(
            .sample("old"), tag: BuildTag(abi: 7, compiler: "6.3.1"), as: "Plugins/old.so")
        #expect(symlink("home.so", Path.join(folder.path, "Plugins/link.so")) == 0)
        var core = ModuleDeclaration.sample("core", requires: ["usersService"])
        core.layer = .core
        try folder.add(core)
        try expectSame()
        let states = try folder.catalogLater().entries.map { [$0.id: $0.state] }
        #expect(
            states == [
                ["core": .invalid], ["home": .ready], ["home": .invalid], ["login": .ready],
                ["old": .incompatible], ["users": .ready],
            ])
    }

    @Test("takes any text, and a service that stands twice")
    func texts() throws {
        var quotes = ModuleDeclaration.sample("quotes", features: ["quotes"])
        quotes.features[0].summary = #"Say "ä""#
        try folder.add(quotes)
        try folder.add(.sample("named"), as: "Plugins/ä.so")
        var twice = ModuleDeclaration.sample("twice", provides: ["A", "A"])
        twice.provides[1].name = "b"
        try folder.add(twice)
        var named = ModuleDeclaration.sample("other", provides: ["A", "B"])
        named.provides[0].name = "a"
        try folder.add(named)
        try expectSame()
    }
}
