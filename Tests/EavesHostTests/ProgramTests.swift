// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesQuarantine
import EavesSources
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesLife
@testable import EavesModules

/// What a program can do that has a host.
@Suite("A program with a host", .onOwnThreads)
struct ProgramTests {
    private let folder: TemporaryFolder
    private let console = KeptConsole()

    init() throws {
        folder = try TemporaryFolder()
        try folder.createFolder("Plugins")
    }

    private func host(
        _ manifest: String = #"{ "manifest": 1 }"#,
        observer: (@Sendable (HostEvent) -> Void)? = nil
    ) throws -> Host {
        var configuration = Host.Configuration()
        configuration.observer = observer
        return try Host(manifest: folder.write(manifest, to: "manifest.json"), configuration)
    }

    @Test("sees modules, features and bindings, and has loaded none")
    func catalog() throws {
        try folder.addLoadable(.sample("login", requires: ["UserService"], features: ["login"]))
        try folder.addLoadable(.sample(provides: ["UserService"]))
        try folder.write("no module", to: "Plugins/text.so")
        let host = try host(
            #"{ "manifest": 1, "launch": "login", "bindings": { "UserService": "users" } }"#)
        #expect(host.features.map(\.name) == ["login"])
        #expect(host.features.map(\.module) == ["login"])
        #expect(host.features.map(\.state) == [.ready])
        #expect(host.catalog.map(\.id) == ["login", "text", "users"])
        #expect(host.module("users")?.provides == ["UserService"])
        #expect(host.module("login")?.requires == ["UserService"])
        #expect(host.module("text")?.state == .invalid)
        #expect(host.module("text")?.problems.first?.exitCode == ExitCode(65))
        #expect(host.module("other") == nil)
        #expect(host.bindings.map { "\($0.service): \($0.module)" } == ["UserService: users"])
        #expect(host.defaultFeature == "login")
        #expect(host.observers.loaded.isEmpty)
    }

    @Test("takes the folder of a manifest for the manifest")
    func manifestFolder() throws {
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let host = try Host(manifest: folder.path)
        #expect(host.manifestPath == folder.path + "/manifest.json")
    }

    @Test("gets every problem of a manifest, with message, fix and exit code")
    func badManifest() throws {
        let error = try #require(throws: HostError.self) {
            try host(#"{ "manifest": 1, "directorys": ["a"], "launch": 3 }"#)
        }
        #expect(error.problems.count == 2)
        #expect(error.exitCode == ExitCode(65))
        #expect(error.cause == nil)
        #expect(error.description.contains("fix: "))
        let missing = try #require(throws: HostError.self) {
            try Host(manifest: folder.path + "/elsewhere/manifest.json")
        }
        #expect(missing.exitCode == ExitCode(66))
    }

    @Test("provides services of its own, which modules get in place of other modules'")
    func provides() async throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try host()
        host.provide((any UserService).self, scope: .shared) { _ in Users(module: "program") }
        let users = try host.resolve((any UserService).self)
        #expect(try await users.users().map(\.name) == ["program"])
        #expect(host.observers.loaded.isEmpty)
        #expect(host.services.withdraw((any UserService).self))
        #expect(!host.services.withdraw((any UserService).self))
        let others = try await host.resolveAsync((any UserService).self)
        #expect(try await others.users().map(\.name) == ["users"])
        #expect(host.observers.loaded == ["users"])
    }

    @Test("decorates services of modules")
    func decorates() async throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try host()
        host.services.provide { registrar in
            registrar.decorate((any UserService).self) { _, _ in Users(module: "decorated") }
        }
        let users = try host.resolve((any UserService).self)
        #expect(try await users.users().map(\.name) == ["decorated"])
        #expect(host.services.description.contains("UserService"))
    }

    @Test("has child containers and resets scopes")
    func children() async throws {
        let host = try host()
        let count = Mutex(0)
        host.provide((any UserService).self, scope: .named("session")) { _ in
            Users(module: "\(count.withLock { $0 += 1; return $0 })")
        }
        let child = host.services.child()
        child.provide((any EventHandler).self) { _ in Events(module: "child") }
        func name() async throws -> String? {
            try await child.resolve((any UserService).self).users().first?.name
        }
        #expect(try await name() == "1")
        #expect(try await name() == "1")
        host.services.reset(.named("session"))
        #expect(try await name() == "2")
        #expect(try child.resolveAll((any EventHandler).self).count == 1)
        #expect(throws: ResolutionError.self) { try host.resolve((any EventHandler).self) }
    }

    private struct LinkedModule: Module {
        static func register(in registrar: any Registrar) throws {
            registrar.register((any EventHandler).self) { _ in Events(module: "linked") }
        }
    }

    @Test("registers a module that is linked into it, once")
    func linked() throws {
        let host = try host()
        try host.services.register(LinkedModule.self, id: "linked")
        #expect(try host.resolve((any EventHandler).self) is Events)
        #expect(throws: HostError.self) { try host.services.register(LinkedModule.self) }
    }

    @Test("gets the error of a feature as the cause, and an exit code for each kind")
    func failures() async throws {
        let errors: [(any Error & Sendable, UInt8)] = [
            (PlainError(), 70), (UsageError("no such unit"), 64), (ConsoleError("gone"), 74),
        ]
        let host = try host()
        for (number, (thrown, code)) in errors.enumerated() {
            host.services.provide {
                $0.registerFeature("fails\(number)") { _ in Failing(error: thrown) }
            }
            let error = try await #require(throws: HostError.self) {
                try await host.launch("fails\(number)", console: console)
            }
            #expect(error.exitCode == ExitCode(code))
            #expect(error.cause.map { type(of: $0) == type(of: thrown) } == true)
        }
        try folder.addLoadable(.sample("login", features: ["login"])) { registrar in
            registrar.registerFeature("login") { _ in Failing(error: PlainError()) }
        }
        host.refresh()
        let error = try await #require(throws: HostError.self) {
            try await host.launch("login", console: console)
        }
        #expect(error.problems.map(\.message).first?.contains("feature 'login' failed") == true)
        #expect(error.cause is PlainError)
        let missing = try await #require(throws: HostError.self) {
            try await host.launch("logn", console: console)
        }
        #expect(missing.exitCode == ExitCode(66))
        #expect(missing.description.contains("did you mean 'login'?"))
    }

    @Test("launches a feature, and is told what is loaded, refused and logged")
    func events() async throws {
        try folder.addLoadable(.sample("login", features: ["login"]))
        try folder.addLoadable(.sample("broken", features: ["broken"])) { _ in throw PlainError() }
        let told = Mutex<[String]>([])
        let host = try host { event in told.withLock { $0.append(Self.word(event)) } }
        #expect(try await host.launch("login", ["--name"], console: console) == ExitCode(7))
        #expect(console.text == "login --name\n")
        for _ in 1...2 {
            await #expect(throws: HostError.self) {
                try await host.launch("broken", console: console)
            }
        }
        let expected = [
            "loading login", "login logged registers", "loaded login", "loading broken",
            "broken logged registers", "refused broken",
        ]
        #expect(told.withLock { $0 } == expected)
    }

    @Test("is told of a module that the catalog refuses")
    func refusedByCatalog() async throws {
        try folder.addLoadable(
            .sample("login", requires: ["UserService"], features: ["login"]))
        let note = ModuleNote(
            declaration: .sample(provides: ["UserService"]), tag: BuildTag(abi: 99))
        try folder.write(
            LoadableModules.module(note) { _ in }, to: "Plugins/users.so")
        let told = Mutex<[String]>([])
        let host = try host { event in told.withLock { $0.append(Self.word(event)) } }
        let error = try await #require(throws: HostError.self) {
            try await host.launch("login", console: console)
        }
        #expect(error.description.contains("ABI"))
        #expect(told.withLock { $0 } == ["refused users"])
    }

    private static func word(_ event: HostEvent) -> String {
        switch event {
        case .loading(let module): "loading \(module.id)"
        case .loaded(let module, _): "loaded \(module.id)"
        case .refused(let module, _): "refused \(module.id)"
        case .logged(let entry): "\(entry.module ?? "program") logged \(entry.text)"
        case .crashed(let crash): "crashed \(crash.module)"
        default: "other"
        }
    }

    @Test("finds all mistakes, each with its kind")
    func validates() throws {
        try folder.addLoadable(.sample("login", requires: ["UserService"], features: ["login"]))
        let host = try host()
        let problems = try host.validate()
        #expect(try host.mistakes(loading: false).map(\.kind) == ["missing"])
        #expect(problems.first?.exitCode == ExitCode(69))
        #expect(host.observers.loaded.isEmpty)
        _ = try host.validate(loading: true)
        #expect(host.observers.loaded == ["login"])
        #expect(host.outdatedModules.isEmpty)
    }

    @Test("swaps, rolls back, and switches modules on and off; a new host follows")
    func changes() throws {
        for id in ["a", "b"] { try folder.addLoadable(.sample(id, provides: ["UserService"])) }
        let host = try host(#"{ "manifest": 1, "bindings": { "UserService": "a" } }"#)
        let path = host.manifestPath
        let swap = try host.swap("UserService", to: "b")
        #expect(swap?.kind == .swap && swap?.services == ["UserService"])
        #expect(swap?.before == "a" && swap?.after == "b" && swap?.module == "b")
        #expect(try host.swap("UserService", to: "b") == nil)
        #expect(host.bindings.map(\.module) == ["a"])
        #expect(try Host(manifest: path).bindings.map(\.module) == ["b"])
        #expect(try host.history == [try #require(swap)])
        #expect(try #require(host.history.first?.time) > 1_700_000_000)
        let rollback = try host.rollback()
        #expect(rollback == [try #require(swap)])
        #expect(try Host(manifest: path).bindings.map(\.module) == ["a"])
        #expect(throws: HostError.self) { try host.rollback() }
        #expect(try host.disable("b"))
        #expect(try !host.disable("b"))
        #expect(try Host(manifest: path).module("b")?.state == .disabled)
        let unknown = try #require(throws: HostError.self) { try host.enable("c") }
        #expect(unknown.exitCode == ExitCode(66))
        #expect(throws: HostError.self) { try host.swap("UserService", to: "c") }
    }

    @Test("cannot build a module without sources, and says so")
    func builds() throws {
        try folder.addLoadable(.sample("login", features: ["login"]))
        let host = try host()
        #expect(try host.build().isEmpty)
        let error = try #require(throws: HostError.self) { try host.build(["login"]) }
        #expect(error.description.contains("has no sources here"))
        #expect(throws: HostError.self) { try host.build(["other"]) }
    }

    @Test("names a linked-in interface with a version of two numbers")
    func interfaces() throws {
        let error = try #require(throws: HostError.self) {
            try Host.begin(
                interfaces: [LinkedInterface(id: "api", module: "API", version: "1.0.0")])
        }
        #expect(error.exitCode == ExitCode(78))
        #expect(error.description.contains("expected two numbers"))
    }

    @Test("makes no host in a program with a Swift runtime of its own")
    func ownRuntime() throws {
        let manifest = try folder.manifest()
        let error = #expect(throws: ProgramError.self) {
            try Host(manifest: manifest, runtime: "libswiftCore-of-no-program.so")
        }
        #expect(error?.diagnostic.fix?.contains("without '-static-stdlib'") == true)
    }

    /// Such a process is the program, started again: it would do all of the program's work a second time.
    @Test("makes no host in a process that was started for an isolated module")
    func startedAsWorker() throws {
        let manifest = try folder.manifest()
        let error = #expect(throws: NoRoleError.self) {
            try Host(manifest: manifest, arguments: ["/bin/program", "module-worker"])
        }
        #expect(error?.diagnostic.fix?.contains("'Host.begin(as: [.worker])'") == true)
        for arguments in [["/bin/program"], ["/bin/program", "module-worker", "x"]] {
            _ = try Host(manifest: manifest, arguments: arguments)
        }
    }

    @Test("is told of crashes that no host has counted")
    func crashes() throws {
        let file = try folder.addLoadable(.sample("login", features: ["login"]))
        let manifest = try folder.manifest()
        _ = try QuarantineStore(manifest.store).make()
        try folder.write(
            #"{"module":"login","path":"Plugins/login.so","file":"\#(file)","sha256":"ab","#
                + #""generation":7,"feature":"login","time":1,"signal":11,"process":1}"# + "\n",
            to: ".eaves/quarantine/crashes.log")
        let told = Mutex<[HostEvent.Crash]>([])
        Host.tellCrashes(manifest) { event in
            if case .crashed(let crash) = event { told.withLock { $0.append(crash) } }
        }
        #expect(
            told.withLock { $0 } == [
                HostEvent.Crash(
                    module: "login", path: "Plugins/login.so", reason: "SIGSEGV", generation: 7,
                    feature: "login")
            ])
    }

    @Test("is told of a damaged log of crashes also where a module is on probation")
    func damagedLog() throws {
        let manifest = try folder.manifest()
        let users = SuspectModule(id: "users", path: "users.so", file: folder.file("users.so"))
        try QuarantineStore(manifest.store).setTrials(
            [Trial(users, sha256: "ab", generation: 1, process: 1)], of: 1)
        try folder.write("?\n", to: ".eaves/quarantine/crashes.log")
        let log = EventLog()
        _ = manifest.settled(telling: log.add)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("other lines as well") == true)
    }
}
