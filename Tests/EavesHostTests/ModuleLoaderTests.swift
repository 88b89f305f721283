// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesJSON
import EavesLoader
import EavesManifest
import EavesQuarantine
import EavesRegistry
import EavesRules
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesLife
@testable import EavesModules

@Suite("Loading a module", .onOwnThreads)
struct ModuleLoaderTests {
    private let folder: TemporaryFolder
    private let log = EventLog()
    private let wanted = Capability.service("UserService", name: nil)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The error of loading the only provider of `UserService`.
    private func failure(_ host: Host) throws -> ModuleError {
        try #require(
            #expect(throws: ModuleError.self) {
                try host.modules.provide(wanted, in: host.container)
            })
    }

    private func expectNothingRegistered(
        _ host: Host, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            host.container.registrations.compactMap(\.module) == [], sourceLocation: sourceLocation)
        #expect(log.loaded == [], sourceLocation: sourceLocation)
    }

    @Test("a thread that has given up waiting for a module does not count as waiting")
    func givenUp() throws {
        let board = LoadBoard(patience: .milliseconds(1))
        let (isStarting, goOn) = (Awaited<Bool>(), Awaited<Bool>())
        try DetachedThread.start {
            board.begin("slow")
            board.start("slow")
            isStarting.set(true)
            _ = goOn.wait(within: Patience.limit)
            board.end("slow")
        }
        _ = isStarting.wait(within: Patience.limit)
        #expect(throws: LifecycleError.self) { try board.wait(for: "slow") }
        #expect(!board.isAwaited("slow"))
        goOn.set(true)
    }

    @Test("loads a private copy, not the file itself")
    func copy() throws {
        let file = try folder.addLoadable(.sample(provides: ["UserService"]))
        let loaded = Mutex<String?>(nil)
        let observers = HostObservers { _, copy in
            // The path of the descriptor leads to the copy.
            let file = copy.ownPath
            loaded.withLock {
                $0 = Files.resolved(file) == Files.resolved(copy.path) ? copy.path : file
            }
        }
        let host = try Host(manifest: folder.manifest(), observers: observers)
        #expect(try host.modules.provide(wanted, in: host.container))
        let copy = try #require(loaded.withLock { $0 })
        #expect(copy != file && copy.hasPrefix(folder.file(".eaves/modules")))
        #expect(try Files.read(copy) == Files.read(file))
        #expect(try folder.mappings(of: copy) > 0 && folder.mappings(of: file) == 0)
    }

    @Test("gives the module its own settings, with paths from the manifest's folder")
    func settings() throws {
        let found = Mutex<[String?]>([])
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        try folder.addLoadable(declaration) { registrar in
            let values = [
                try registrar.settings.string("words"), try registrar.settings.path("file"),
            ]
            found.withLock { $0 = values }
            try declaration.register(in: registrar)
        }
        let host = try folder.host(
            modules: #""users": { "settings": { "words": "Hi", "file": "a.txt" } }"#)
        #expect(try host.modules.provide(wanted, in: host.container))
        #expect(found.withLock { $0 } == ["Hi", folder.path + "/a.txt"])
    }

    @Test(
        "that the manifest isolates is refused by a host that has no isolation, with the product that has one"
    )
    func noIsolation() throws {
        try folder.addLoadable(ModuleDeclaration.sample())
        let host = try folder.host(modules: #""users": { "isolation": "process" }"#)
        let entry = try #require(host.modules.catalog.entry("users"))
        let error = #expect(throws: ModuleError.self) {
            try host.modules.load(entry, into: host.container)
        }
        #expect(error?.reason is NoIsolationError)
        #expect(error?.diagnostic.fix?.contains("'EavesIsolation'") == true)
    }

    @Test("that failed is not tried again, and fails with the same error")
    func failedOnce() throws {
        let count = Atomic(0)
        try folder.addLoadable(.sample(provides: ["UserService"])) { registrar in
            let count = count.add(1, ordering: .relaxed).newValue
            registrar.register((any UserService).self) { _ in Users(module: "users") }
            throw PlainError(description: "attempt \(count)")
        }
        let host = try folder.host(tellingTo: log)
        let first = try failure(host)
        #expect(first.reason as? LoadError == .refused(message: "attempt 1", code: 1))
        #expect(try failure(host).reason as? LoadError == first.reason as? LoadError)
        #expect(count.load(ordering: .relaxed) == 1)
        expectNothingRegistered(host)
    }

    @Test("that failed in one host is tried by another one")
    func anotherHost() throws {
        let count = Atomic(0)
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        try folder.addLoadable(declaration) { registrar in
            guard count.add(1, ordering: .relaxed).newValue > 1 else { throw PlainError() }
            try declaration.register(in: registrar)
        }
        _ = try failure(try folder.host())
        let host = try folder.host()
        #expect(try host.modules.provide(wanted, in: host.container))
    }

    @Test("that registers something else than it declares registers nothing")
    func mismatch() throws {
        try folder.addLoadable(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { _ in Users(module: "users") }
            registrar.register((any EventHandler).self) { _ in Events(module: "users") }
        }
        let host = try folder.host(tellingTo: log)
        #expect(
            try failure(host).diagnostics == [
                Diagnostic(
                    "users: registers what it does not declare: EventHandler (Plugins/users.so)",
                    fix: "make module.json and what the module registers agree, and rebuild it",
                    code: .badData)
            ])
        expectNothingRegistered(host)
    }

    @Test("that registers something twice registers nothing, and both places are told")
    func twice() throws {
        try folder.addLoadable(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { _ in Users(module: "users") }
            registrar.register((any UserService).self) { _ in Users(module: "users") }
        }
        let host = try folder.host(tellingTo: log)
        let diagnostic = try #require(try failure(host).diagnostics.first)
        #expect(diagnostic.message.hasPrefix("users: registers UserService twice: at EavesHost"))
        #expect(diagnostic.message.hasSuffix(" (Plugins/users.so)"))
        #expect(diagnostic.fix == "register each thing once, or under different names")
        expectNothingRegistered(host)
    }

    @Test("without an entry point is refused before its code could run")
    func noEntryPoint() throws {
        let note = ModuleNote(
            declaration: .sample(provides: ["UserService"]), tag: BuildTag(abi: 1))
        let source = Binaries.source(
            note: note.json.text(pretty: false), entry: "int some_function(void) { return 0; }\n")
        try folder.write(CCompiler.first().compile(source), to: "Plugins/users.so")
        let host = try folder.host(tellingTo: log)
        #expect((try failure(host).reason as? BinaryError)?.problems == [.noEntryPoint])
        #expect(log.lines.isEmpty)
        expectNothingRegistered(host)
    }

    /// Things that happen to a module after the catalog has looked at it, and the codes with which it is refused.
    private static let changes:
        [(change: @Sendable (TemporaryFolder) throws -> Void, code: FailureCode)] = [
            ({ try #require(chmod($0.file("Plugins/users.so"), 0o666) == 0) }, .untrusted),
            ({ try #require(chmod($0.path, 0o777) == 0) }, .untrusted),
            (
                {
                    try $0.createFolder(".eaves")
                    try #require(chmod($0.file(".eaves"), 0o777) == 0)
                }, .untrusted
            ),
            (
                {
                    let text = Array("no module".utf8)
                    try Files.replace($0.file("Plugins/users.so"), with: text, mode: 0o644)
                }, .badData
            ),
            ({ try Files.removeTree($0.file("Plugins/users.so")) }, .notFound),
        ]

    @Test(
        "that another user can write by now, or that was damaged or removed, is refused in the catalog's words",
        arguments: changes.indices)
    func changedMeanwhile(index: Int) throws {
        let (change, code) = Self.changes[index]
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        #expect(host.modules.catalog.entry("users")?.state == .ready)
        try change(folder)
        let error = try failure(host)
        #expect((error.reason as? UnusableModuleError)?.entry.id == "users")
        #expect(error.diagnostics.map(\.code) == [code])
        #expect(log.lines.isEmpty)
        expectNothingRegistered(host)
    }

    @Test("with a problem that the catalog knows is refused with it")
    func unusable() throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        var entry = try #require(host.modules.catalog.entry("users"))
        entry.problem = .incompatible(.abi(built: 2, host: 1))
        let error = #expect(throws: ModuleError.self) {
            try host.modules.load(entry, into: host.container)
        }
        #expect(error?.diagnostics == entry.diagnostics)
        #expect(error?.diagnostics.map(\.code) == [.incompatible])
        expectNothingRegistered(host)
    }

    @Test("whose digest the manifest does not allow is refused, and leaves no copy")
    func digest() throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let digest = String(repeating: "0", count: 64)
        let host = try folder.host(
            modules: #""users": { "sha256": "\#(digest)" }"#, tellingTo: log)
        let problems = (try failure(host).reason as? BinaryError)?.problems
        guard case .digest(digest, _)? = problems?.first else {
            Issue.record("\(String(describing: problems))")
            return
        }
        #expect(log.lines.isEmpty)
        // The copy that was refused does not stay. What is known of the file may.
        let names = try folder.names(in: ".eaves/modules")
        #expect(names.filter { $0.hasSuffix(".so") } == [])
    }
}

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

    /// A way to need the module, and whether it loads the module.
    static let ways: [(need: @Sendable (Host) throws -> Bool, loads: Bool)] = [
        ({ try $0.container.resolve((any UserService).self) is Users }, true),
        ({ try $0.container.resolveAll((any UserService).self).count == 1 }, true),
        (
            { try $0.modules.plan(for: "users") { _ in false }.modules.map(\.id) == ["users"] },
            false
        ),
        ({ try $0.modules.loadAll(into: $0.container).isEmpty }, true),
    ]

    @Test("is built when it, its feature or its service is needed", arguments: ways.indices)
    func needed(index: Int) throws {
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try Self.ways[index].need(host))
        #expect(log.loaded == (Self.ways[index].loads ? ["users"] : []))
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
