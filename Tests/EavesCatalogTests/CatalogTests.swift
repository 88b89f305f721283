// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("The catalog")
struct CatalogTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("shows what is dropped into a directory, without any entry")
    func dropIn() throws {
        try folder.add(.sample("users", provides: ["UserService"], features: ["users"]))
        try folder.add(.sample("login", requires: ["UserService"], features: ["login", "logout"]))
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.id) == ["login", "users"])
        #expect(catalog.entries.map(\.path) == ["Plugins/login.so", "Plugins/users.so"])
        #expect(catalog.entries.allSatisfy { $0.state == .ready })
        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.modules(providing: "UserService", name: nil).map(\.id) == ["users"])
        #expect(catalog.modules(providing: "UserService", name: "other").isEmpty)
        #expect(catalog.modules(offering: "logout").map(\.id) == ["login"])
        #expect(catalog.entry("users")?.file == Path.join(folder.path, "Plugins/users.so"))
        #expect(catalog.entry("nobody") == nil)
    }

    @Test("leaves alone what is no module: other files, hidden ones, folders without module.json")
    func otherFiles() throws {
        try folder.write("x", to: "Plugins/README.md")
        try folder.write("x", to: "Plugins/.users.so.17")
        try folder.write("x", to: "Plugins/.users.so")
        try folder.write("x", to: "Plugins/Notes/readme.txt")
        try folder.write("{}", to: "Plugins/.hidden/module.json")
        try folder.add(.sample("deep"), as: "Plugins/Sub/deep.so")
        let catalog = try folder.catalog()
        #expect(catalog.entries.isEmpty)
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("one bad file neither hides nor harms the others")
    func badNeighbours() throws {
        try folder.add(.sample("users"))
        try folder.write("", to: "Plugins/a.so")
        try folder.write("text", to: "Plugins/b.so")
        try folder.createFolder("Plugins/c.so")
        #expect(mkfifo(Path.join(folder.path, "Plugins/d.so"), 0o600) == 0)
        try folder.write(Binaries.withoutNote.get(), to: "Plugins/e.so")
        #expect(symlink("nowhere", Path.join(folder.path, "Plugins/f.so")) == 0)
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.id) == ["a", "b", "c", "d", "e", "f", "users"])
        #expect(
            catalog.entries.map(\.state)
                == [.invalid, .invalid, .invalid, .invalid, .invalid, .missing, .ready])
        #expect(catalog.entries.dropLast().allSatisfy { $0.diagnostics.count == 1 })
    }

    @Test("follows a symbolic link to a module")
    func link() throws {
        try folder.add(.sample("users"), as: "Plugins/shelf/users.so")
        #expect(symlink("shelf/users.so", Path.join(folder.path, "Plugins/u.so")) == 0)
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.state) == [.ready])
        #expect(catalog.entries.map(\.path) == ["Plugins/u.so"])
    }

    @Test("a directory that is not there or is none is told, and the others are read")
    func directories() throws {
        try folder.add(.sample("users"))
        try folder.write("x", to: "file")
        let catalog = try folder.catalog(
            #"{ "manifest": 1, "directories": ["none", "Plugins", "file"] }"#)
        #expect(catalog.entries.map(\.id) == ["users"])
        #expect(catalog.diagnostics.map(\.code) == [.notFound, .inputOutput])
        let place = Path.join(folder.path, "manifest.json")
        #expect(
            catalog.diagnostics.map(\.message) == [
                "\(place): directories[0]: cannot list the directory 'none': "
                    + "No such file or directory",
                "\(place): directories[2]: cannot list the directory 'file': Not a directory",
            ])
        #expect(catalog.diagnostics.last?.fix == "make 'file' a directory that can be read")
    }

    @Test("with no directories only what is listed counts")
    func onlyListed() throws {
        try folder.add(.sample("users"))
        try folder.add(.sample("login"), as: "vendor/l.so")
        let catalog = try folder.catalog(
            """
            { "manifest": 1, "directories": [],
              "modules": { "login": { "library": "vendor/l.so", "settings": { "a": [1] } } } }
            """)
        #expect(catalog.entries.map(\.id) == ["login"])
        let entry = try #require(catalog.entry("login"))
        #expect(entry.state == .ready)
        #expect(entry.path == "vendor/l.so")
        #expect(entry.settings == [JSON.Member(name: "a", value: [1])])
    }

    @Test("an entry without library speaks of the module that is found")
    func listedWithoutLibrary() throws {
        try folder.add(.sample("users"), as: "Plugins/other-name.so")
        let digest = String(repeating: "ab", count: 32)
        let catalog = try folder.catalog(
            """
            { "manifest": 1, "modules": { "users": { "sha256": "\(digest)",
                                                     "settings": { "path": "users.db" } } } }
            """)
        let entry = try #require(catalog.entry("users"))
        #expect(catalog.entries.count == 1)
        #expect(entry.state == .ready)
        #expect(entry.sha256 == digest)
        #expect(entry.settings == [JSON.Member(name: "path", value: "users.db")])
    }

    @Test("a module that is switched off is disabled, whatever else is wrong with it")
    func disabled() throws {
        try folder.add(.sample("users", provides: ["UserService"], features: ["users"]))
        try folder.write("text", to: "Plugins/broken.so")
        let catalog = try folder.catalog(
            """
            { "manifest": 1, "modules": { "users": { "enabled": false },
                "broken": { "enabled": false }, "nowhere": { "enabled": false } } }
            """)
        #expect(catalog.entries.map(\.id) == ["broken", "nowhere", "users"])
        #expect(catalog.entries.allSatisfy { $0.state == .disabled && $0.problem == nil })
        #expect(
            catalog.modules(providing: "UserService", name: nil).map(\.state) == [.disabled])
        #expect(catalog.modules(offering: "users").map(\.state) == [.disabled])
    }

    @Test("an entry for a module that is nowhere is missing, with what may be meant")
    func unknown() throws {
        try folder.add(.sample("users"))
        let catalog = try folder.catalog(
            """
            { "manifest": 1,
              "modules": { "usres": {}, "gone": { "library": "vendor/gone.so" } } }
            """)
        #expect(catalog.entries.map(\.id) == ["gone", "users", "usres"])
        #expect(catalog.entries.map(\.state) == [.missing, .ready, .missing])
        let place = Path.join(folder.path, "manifest.json")
        #expect(
            catalog.entry("usres")?.diagnostics.map(\.message)
                == [
                    "\(place):2:16: modules.usres: there is no module 'usres', did you mean 'users'?"
                ])
        #expect(
            catalog.entry("usres")?.diagnostics.map(\.fix) == [
                "correct or remove the id; or build the module, put it into a directory of 'directories', "
                    + "or name its 'library'"
            ])
        #expect(
            catalog.entry("gone")?.diagnostics.map(\.message)
                == ["gone: the file is not there (vendor/gone.so)"])
    }

    @Test("a file that is listed under another id is invalid, and both ids are named")
    func otherID() throws {
        try folder.add(.sample("users"), as: "vendor/u.so")
        let catalog = try folder.catalog(
            """
            { "manifest": 1,
              "modules": { "accounts": { "library": "vendor/u.so" } } }
            """)
        let entry = try #require(catalog.entry("accounts"))
        #expect(entry.state == .invalid)
        let place = Path.join(folder.path, "manifest.json")
        #expect(
            entry.diagnostics.map(\.message) == [
                "\(place):2:16: modules.accounts: expected a module 'accounts', "
                    + "found 'users' (vendor/u.so)"
            ])
        #expect(
            entry.diagnostics.map(\.fix) == [
                "list it as 'users', or name the library of 'accounts'"
            ])
        #expect(catalog.entry("users") == nil)
    }

    @Test(
        "each directory is judged on its own",
        arguments: [["Plugins", "Open"], ["Open", "Plugins"]])
    func directories(names: [String]) throws {
        try folder.add(.sample("home"), as: "Open/home.so")
        try folder.add(.sample("login"), as: "Open/login.so")
        try folder.add(.sample("users"))
        #expect(chmod(Path.join(folder.path, "Open"), 0o777) == 0)
        let catalog = try folder.catalog(
            #"{ "manifest": 1, "directories": ["\#(names[0])", "\#(names[1])"] }"#)
        #expect(catalog.entries.map(\.id) == ["home", "login", "users"])
        #expect(catalog.entries.map(\.state) == [.untrusted, .untrusted, .ready])
    }

    @Test("a wish for a process of its own is known")
    func isolation() throws {
        try folder.add(.sample("users"))
        let catalog = try folder.catalog(
            """
            { "manifest": 1, "modules": { "users": { "isolation": "process" } } }
            """)
        let entry = try #require(catalog.entry("users"))
        #expect(entry.isIsolated && entry.isAvailable)
    }
}

@Suite("Files whose names are not UTF-8")
struct CatalogNameTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Moves a file to a name with a byte that is no text.
    private func spoilName(of file: String) {
        var name = Array(folder.file(file).utf8CString.dropLast())
        name += [CChar(bitPattern: 0xFF), 0]
        #expect(rename(folder.file(file), name) == 0)
    }

    @Test("say so, with and without a cache, and harm no other module")
    func file() throws {
        try folder.add(.sample("login"))
        // The suffix of a module stands behind the byte.
        try folder.add(.sample("users"), as: "Plugins/users")
        var name = Array(folder.file("Plugins/users").utf8CString.dropLast())
        name += [CChar(bitPattern: 0xFF)] + ".so".utf8CString
        #expect(rename(folder.file("Plugins/users"), name) == 0)
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        for _ in 0..<2 {
            let catalog = try folder.catalogLater()
            #expect(catalog.entries.map(\.id) == ["login", "users\u{FFFD}"])
            #expect(catalog.entries.map(\.state) == [.ready, .invalid])
            #expect(
                catalog.entries.diagnostics == [
                    Diagnostic(
                        "users\u{FFFD}: cannot open the file: its name is not UTF-8 "
                            + "(Plugins/users\u{FFFD}.so)",
                        fix: "give it a name in UTF-8", code: .inputOutput)
                ])
        }
    }

    @Test("say so, if they are folders of sources")
    func source() throws {
        try folder.addSource(.sample("users"), in: "Plugins/Users")
        spoilName(of: "Plugins/Users")
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        for _ in 0..<2 {
            let catalog = try folder.catalogLater()
            #expect(catalog.entries.map(\.state) == [.invalid])
            #expect(
                catalog.entries.diagnostics.map(\.message) == [
                    "Plugins/Users\u{FFFD}/module.json: cannot open it: its name is not UTF-8"
                ])
        }
    }
}
