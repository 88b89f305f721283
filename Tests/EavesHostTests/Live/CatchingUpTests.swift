// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesDeclaration
import EavesInterface
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesHost

@Suite("A host that catches up with the disk", .onOwnThreads)
struct CatchingUpTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("goes back to a file that it has loaded before without loading it again")
    func backAgain() throws {
        // No other test has a module of this id.
        let id = "users-that-come-back"
        try folder.dropUsers("first", id: id)
        let first = try Files.read(folder.file("Plugins/\(id).so"))
        let host = try folder.host()
        #expect(try host.users() == "first")
        for words in ["second", "third"] {
            try folder.dropUsers(words, id: id)
            #expect(host.changes() == ["\(id): draining → serving"])
            #expect(try host.users() == words)
        }
        let mapped = try folder.mappings(of: id)
        #expect(mapped > 0)
        try folder.write(first, to: "users.new")
        try folder.rename("users.new", to: "Plugins/\(id).so")
        #expect(host.changes() == ["\(id): draining → serving"])
        #expect(try host.users() == "first")
        #expect(try folder.mappings(of: id) == mapped)
    }

    @Test("takes a file for what it is, also if it has just replaced another one")
    func exchangedBeforeLoading() throws {
        try folder.dropUsers("first", inputs: "01")
        let host = try folder.host()
        #expect(host.catalog.map(\.version) == ["1.0.0"])
        try folder.dropUsers("second", version: "2.0.0", inputs: "02")
        #expect(try host.users() == "second")
        #expect(host.generations.map(\.version) == ["2.0.0"])
        try folder.dropUsers("first", inputs: "01")
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.users() == "first")
    }

    @Test("refuses none of the files that replace each other while it looks")
    func exchangedWhileLooking() throws {
        for words in ["first", "second"] {
            try folder.dropUsers(words, inputs: words == "first" ? "01" : "02")
            try folder.rename("Plugins/users.so", to: words)
        }
        func put(_ words: String) throws {
            guard link(folder.file(words), folder.file("link")) == 0 else {
                throw FixtureError("cannot link")
            }
            try folder.rename("link", to: "Plugins/users.so")
        }
        try put("first")
        let host = try folder.host()
        #expect(try host.users() == "first")
        let isOver = Atomic(false)
        defer { isOver.store(true, ordering: .relaxed) }
        let looks = DispatchGroup()
        DispatchQueue(label: "looks").async(group: looks) {
            while !isOver.load(ordering: .relaxed) { host.catchUp() }
        }
        for _ in 0..<Soak.rounds(500) {
            try put("second")
            try put("first")
        }
        isOver.store(true, ordering: .relaxed)
        looks.wait()
        #expect(host.generations.filter { $0.state == .refused } == [])
        host.catchUp()
        #expect(try host.users() == "first")
        try put("second")
        host.catchUp()
        #expect(try host.users() == "second")
    }

    @Test("does not load a build a second time that did not register")
    func refusedTwice() throws {
        let id = "users-that-do-not-register"
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = id
        try folder.dropUsers("first", id: id)
        let host = try folder.host()
        #expect(try host.users() == "first")
        try folder.drop(declaration) { _ in throw FixtureError("not now") }
        #expect(host.changes() == ["\(id) refused"])
        let mapped = try folder.mappings(of: id)
        try folder.rewriteManifest(modules: #""\#(id)": { "settings": { "other": true } }"#)
        #expect(host.changes() == ["\(id) refused"])
        #expect(try folder.mappings(of: id) == mapped)
        #expect(try host.users() == "first")
    }

    @Test("follows a binding, and keeps the objects of a module that it leaves and comes back to")
    func binding() throws {
        try folder.dropUsers("memory")
        try folder.dropUsers("sqlite", id: "users-sqlite")
        let host = try folder.host(bindings: #""UserService": "users""#)
        let memory = try host.resolve((any UserService).self) as? KeptUsers
        #expect(memory?.words == "memory")
        try folder.rewriteManifest(bindings: #""UserService": "users-sqlite""#)
        #expect(host.changes() == ["UserService: users → users-sqlite"])
        #expect(try host.users() == "sqlite")
        try folder.rewriteManifest(bindings: #""UserService": "users""#)
        #expect(host.changes() == ["UserService: users-sqlite → users"])
        #expect(try host.resolve((any UserService).self) as? KeptUsers === memory)
    }

    @Test("refuses an edit that is to protect it from a mistyped id, and warns of another one")
    func typo() throws {
        try folder.dropUsers("first")
        let log = EventLog()
        let host = try folder.host(tellingTo: log)
        #expect(try host.users() == "first")
        let typo = #""usres": { "isolation": "process" }"#
        try folder.rewriteManifest(modules: #"\#(typo), "users": { "enabled": false }"#)
        #expect(host.changes() == ["kept"])
        #expect(host.changes().isEmpty)
        #expect(host.live.standing.obstacles.map(\.subject) == [""])
        // A module that is loaded is no typo, whatever its file is now.
        for entries in [#""usres": {}"#, #""usres": {}, "users": { "leastVersion": "1" }"#] {
            try folder.rewriteManifest(modules: entries)
            #expect(host.changes().isEmpty && host.live.standing.obstacles.isEmpty)
            try? folder.remove("Plugins/users.so")
        }
        #expect(log.lines.filter { $0.hasPrefix("warned") && $0.contains("'usres'") }.count == 1)
    }

    @Test("takes other settings of a module as a generation of the same code")
    func settings() throws {
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        try folder.addLoadable(declaration) { registrar in
            let words = try registrar.settings.string("words") ?? "none"
            registrar.register((any UserService).self) { _ in KeptUsers(words: words) }
        }
        let host = try folder.host(modules: #""users": { "settings": { "words": "one" } }"#)
        #expect(try host.users() == "one")
        try folder.rewriteManifest(modules: #""users": { "settings": { "words": "two" } }"#)
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.users() == "two")
    }

    @Test("gives all who ask for all a provider that came while the host runs")
    func laterProvider() throws {
        try folder.dropUsers("first")
        let host = try folder.host(bindings: #""UserService": "users""#)
        #expect(try host.container.resolveAll((any UserService).self).count == 1)
        try folder.dropUsers("second", id: "more")
        host.catchUp()
        let all = try host.container.resolveAll((any UserService).self)
        #expect(all.compactMap { ($0 as? KeptUsers)?.words } == ["second", "first"])
    }

    @Test("counts the objects of a generation that no longer serves")
    func keptObject() throws {
        try folder.dropUsers("first")
        let host = try folder.host()
        var kept: (any UserService)? = try host.resolve((any UserService).self)
        try folder.dropUsers("second")
        host.catchUp()
        let old = try #require(host.generations.first)
        #expect(old.instances == 1)
        withExtendedLifetime(kept) {}
        kept = nil
        // The container keeps its instances until the generation has drained, for which the resolutions of other
        // tests have to end, too.
        try Patience.wait(for: "the end of the object") {
            host.generations.first?.instances == 0
        }
    }

    @Test("numbers its generations as no host before it did")
    func numbers() throws {
        try folder.dropUsers("first")
        var seen: Set<Int> = []
        for words in ["a", "b", "c"] {
            let host = try folder.host()
            _ = try host.users()
            try folder.dropUsers(words)
            host.catchUp()
            for generation in host.generations { #expect(seen.insert(generation.id).inserted) }
        }
        #expect(seen.count == 6)
    }
}
