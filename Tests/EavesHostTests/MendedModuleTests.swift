// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesManifest
import EavesQuarantine
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("A module in quarantine whose sources were edited", .onOwnThreads)
struct MendedModuleTests {
    private let folder: TemporaryFolder
    private let log = EventLog()
    /// Mends the module.
    private let source: ScriptedSource

    /// A folder with the module `users`, which is kept out.
    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        source = ScriptedSource { modules in
            guard modules.contains(where: { $0.id == "users" && $0.state == .quarantined }) else {
                return false
            }
            try folder.addLoadable(
                .sample(provides: ["UserService", "EventHandler"], features: ["users"]))
            return true
        }
        let manifest = try folder.manifest()
        let file = try folder.addLoadable(.sample(provides: ["UserService"], features: ["users"]))
        let isKeptOut = try QuarantineStore(manifest.store).keepOut(
            SuspectModule(id: "users", path: "Plugins/users.so", file: file), because: "a test",
            since: 1)
        try #require(isKeptOut)
        try #require(folder.catalog(manifest).entry("users")?.state == .quarantined)
    }

    @Test("is built when its service is asked for")
    func service() throws {
        let host = try folder.host(source: source, tellingTo: log)
        _ = try host.container.resolve((any UserService).self)
        #expect(log.loaded == ["users"])
    }

    @Test("is built when all of its service are asked for")
    func allOfService() throws {
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try host.container.resolveAll((any UserService).self).count == 1)
        #expect(log.loaded == ["users"])
    }

    @Test("is built when its feature is launched")
    func feature() throws {
        let host = try folder.host(source: source, tellingTo: log)
        let plan = try host.modules.plan(for: "users", unless: { _ in false })
        #expect(plan.modules.map(\.id) == ["users"])
    }

    @Test("is built when all modules are loaded")
    func all() throws {
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try host.modules.loadAll(into: host.container).isEmpty)
        #expect(log.loaded == ["users"])
    }

    @Test("stays out if a build changes nothing, with the reason")
    func unmended() throws {
        let idle = ScriptedSource()
        let host = try folder.host(source: idle, tellingTo: log)
        let error = #expect(throws: (any Error).self) {
            try host.container.resolve((any UserService).self)
        }
        #expect("\(error, default: "")".contains("quarantined"))
        #expect(idle.requests == [["users"]])
    }
}
