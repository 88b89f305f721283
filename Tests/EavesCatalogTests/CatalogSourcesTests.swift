// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@Suite("Modules with sources")
struct CatalogSourcesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("that are not built are missing, and can be had by a build")
    func notBuilt() throws {
        let users = ModuleDeclaration.sample(
            "users", provides: ["UserService"], features: ["users"])
        try folder.addSource(users, in: "Plugins/Users")
        let catalog = try folder.catalog()
        let entry = try #require(catalog.entry("users"))
        #expect(entry.state == .missing)
        #expect(entry.source == Path.join(folder.path, "Plugins/Users"))
        #expect(entry.file == Path.join(folder.path, "Plugins/users.so"))
        #expect(entry.path == "Plugins/users.so")
        #expect(entry.declaration == users && entry.note == nil)
        #expect(entry.isBuildable && entry.isAvailable)
        #expect(catalog.modules(providing: "UserService", name: nil).map(\.id) == ["users"])
        #expect(catalog.modules(offering: "users").map(\.id) == ["users"])
        #expect(
            entry.diagnostics == [
                Diagnostic(
                    "users: it is not built yet (Plugins/users.so)",
                    fix: "run 'eaves build users'", code: .notFound)
            ])
    }

    @Test("that are built say what the file says, not what the sources say")
    func built() throws {
        try folder.addSource(.sample("users", provides: ["New"]), in: "Plugins/Users")
        try folder.add(.sample("users", provides: ["Old"]))
        let catalog = try folder.catalog()
        #expect(catalog.entries.count == 1)
        let entry = try #require(catalog.entry("users"))
        #expect(entry.state == .ready && entry.isBuildable)
        #expect(entry.source == Path.join(folder.path, "Plugins/Users"))
        #expect(entry.declaration?.provides.map(\.service) == ["Old"])
    }

    @Test("whose file is broken or for another host can be had by a build")
    func mendable() throws {
        try folder.addSource(.sample("users", provides: ["UserService"]), in: "Plugins/Users")
        let old = BuildTag(abi: 1, compiler: "5.10")
        for isText in [true, false] {
            if isText {
                try folder.write("text", to: "Plugins/users.so")
            } else {
                try folder.add(.sample("users", provides: ["UserService"]), tag: old)
            }
            let catalog = try folder.catalog()
            let entry = try #require(catalog.entry("users"))
            #expect(entry.state == (isText ? .invalid : .incompatible))
            #expect(entry.isAvailable)
            #expect(catalog.modules(providing: "UserService", name: nil).map(\.id) == ["users"])
            #expect(entry.diagnostics.map(\.fix) == ["run 'eaves build users'"])
        }
    }

    @Test("that are switched off are disabled")
    func disabled() throws {
        try folder.addSource(.sample("users", provides: ["UserService"]), in: "Plugins/Users")
        let catalog = try folder.catalog(
            #"{ "manifest": 1, "modules": { "users": { "enabled": false } } }"#)
        #expect(catalog.entry("users")?.state == .disabled)
        #expect(
            catalog.modules(providing: "UserService", name: nil).map(\.state) == [.disabled])
    }

    @Test("whose listed file is not there are not built, if that is where it would be")
    func listed() throws {
        try folder.addSource(.sample("users"), in: "Plugins/Users")
        let catalog = try folder.catalog(
            #"{ "manifest": 1, "modules": { "users": { "library": "Plugins/users.so" } } }"#)
        #expect(catalog.entries.count == 1)
        let source = Path.join(folder.path, "Plugins/Users")
        #expect(catalog.entry("users")?.problem == .notBuilt(folder: source))
    }

    @Test("whose module.json is wrong are invalid, with every mistake")
    func broken() throws {
        try folder.write(
            #"{ "id": "users", "layer": "feature", "x": 1 }"#, to: "Plugins/Users/module.json")
        try folder.write("{", to: "Plugins/Login/module.json")
        try folder.createFolder("Plugins/Home/module.json")
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.id) == ["Home", "Login", "users"])
        #expect(catalog.entries.allSatisfy { $0.state == .invalid && !$0.isAvailable })
        #expect(
            catalog.entry("users")?.diagnostics.map(\.message) == [
                "Plugins/Users/module.json:1:1: the key 'version' is missing",
                "Plugins/Users/module.json:1:38: unknown key 'x'",
            ])
    }

    @Test("whose module.json was broken after a build still run, and it is told")
    func brokenLater() throws {
        try folder.add(.sample("users"))
        try folder.write(#"{ "id": "users", "layer": "feature" }"#, to: "Plugins/Users/module.json")
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.state) == [.ready])
        #expect(
            catalog.diagnostics.map(\.message)
                == ["Plugins/Users/module.json:1:1: the key 'version' is missing"])
    }

    @Test("of which two have one id: the second is told")
    func twice() throws {
        try folder.addSource(.sample("users"), in: "Plugins/A")
        try folder.addSource(.sample("users"), in: "Plugins/B")
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.source == Path.join(folder.path, "Plugins/A"))
        let second = try #require(catalog.entries.first { $0.path == "Plugins/B/module.json" })
        #expect(second.problem == .duplicateID(used: "Plugins/users.so"))
        #expect(!second.isBuildable)
    }

    @Test("take no id away from a file that was dropped in")
    func droppedIn() throws {
        try folder.addSource(.sample("users"), in: "Plugins/Users")
        try folder.add(.sample("users"), as: "Plugins/dropped.so")
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.path == "Plugins/dropped.so")
        #expect(catalog.entry("users")?.state == .ready)
    }
}
