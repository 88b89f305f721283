// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

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

    @Test("sorts by id, whatever the files are called")
    func order() throws {
        try folder.add(.sample("aaa", features: ["zzz"]), as: "Plugins/z.so")
        try folder.add(.sample("zzz", features: ["aaa"]), as: "Plugins/a.so")
        try expectSame()
    }

    @Test("knows the modules that the manifest names")
    func manifest() throws {
        try folder.add(.sample("off"))
        try folder.write(
            """
            { "manifest": 1,
              "modules": { "off": { "enabled": false }, "home": { "library": "Plugins/home.so" } },
              "bindings": { "usersService": "users" } }
            """, to: "manifest.json")
        try expectSame()
        // Here a message names all modules there are.
        try folder.write(#"{ "manifest": 1, "modules": { "hom": {} } }"#, to: "manifest.json")
        try expectSame()
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Ghost": "users" } }"#, to: "manifest.json")
        try expectSame()
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

    @Test("knows what is built from sources")
    func sources() throws {
        try folder.addSource(.sample("home"), in: "Plugins/Home")
        try folder.addSource(.sample("new"), in: "Plugins/New")
        try folder.write("{", to: "Plugins/login/module.json")
        try expectSame()
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
