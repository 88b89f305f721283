// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("The life cycle of modules", .onOwnThreads, .patiently)
struct LifecycleTests {
    let folder: TemporaryFolder
    let diary = Diary()

    init() throws {
        folder = try TemporaryFolder()
    }

    func drop(
        _ words: String, starting: @escaping @Sendable (any Resolver) throws -> Void = { _ in },
        stopping: @escaping @Sendable () throws -> Void = {},
        health: @escaping @Sendable () throws -> Bool = { true }
    ) throws {
        try folder.dropUsers { [diary] _ in
            LivingUsers(
                words, diary, starting: starting, stopping: stopping, health: health)
        }
    }

    /// A host that keeps its warnings.
    func host(
        _ warnings: Warnings = Warnings(),
        policy: LivePolicy = LivePolicy(gateLimit: Patience.limit), bindings: String = ""
    ) throws -> Host {
        try Host(manifest: folder.manifest(bindings: bindings), policy: policy) { warnings.add($0) }
    }

    /// A host that has loaded the module `users`, whose words are `first`.
    func servingHost(
        policy: LivePolicy = LivePolicy(gateLimit: Patience.limit)
    ) async throws -> Host {
        try drop("first")
        let host = try host(policy: policy)
        #expect(try await users(host) == "first")
        return host
    }

    /// Drops the module `events`, which has a life cycle.
    func dropEvents(
        starting: @escaping @Sendable (any Resolver) throws -> Void = { _ in },
        stopping: @escaping @Sendable () throws -> Void = {}
    ) throws {
        try folder.drop(.sampleEvents()) { [diary] registrar in
            registrar.lifecycle(
                LivingUsers("events", diary, starting: starting, stopping: stopping))
            registrar.register((any EventHandler).self, scope: .shared) { _ in
                Events(module: "events")
            }
        }
    }

    /// The results of two threads: one asks for events, the other for users.
    private func askForBoth(_ host: Host) throws -> String {
        let other = Awaited<String>()
        try DetachedThread.start {
            other.set("\(Result { try host.resolve((any EventHandler).self) })")
        }
        let own = "\(Result { try host.resolve((any UserService).self) })"
        return own + (other.wait(within: Patience.limit) ?? "nothing")
    }

    func users(_ host: Host) async throws -> String {
        try await host.resolve((any UserService).self).users()[0].name
    }

    @Test("begins when a module is loaded, and ends once when the host stops")
    func startAndStop() async throws {
        try drop("first")
        let host = try host()
        #expect(diary.lines == [])
        #expect(try await users(host) == "first")
        _ = try await users(host)
        #expect(diary.lines == ["first starts"])
        #expect(host.stop())
        #expect(host.stop())
        #expect(diary.lines == ["first starts", "first stops", "first has stopped"])
    }

    @Test("a module whose start fails is refused with its reason, and never stopped")
    func failingStart() async throws {
        try drop("first", starting: { _ in throw FixtureError("no database") })
        let host = try host()
        for _ in 0..<2 {
            let error = try #require(throws: ResolutionError.self) {
                try host.resolve((any UserService).self)
            }
            #expect("\(HostError(error))".contains("start failed: no database"))
        }
        host.stop()
        #expect(diary.lines == ["first starts"])
        #expect(host.generations.filter { $0.state == .serving }.isEmpty)
    }

    @Test("starts the modules first that provide what a module requires, and stops them last")
    func needs() async throws {
        try dropEvents()
        try folder.dropUsers(requires: ["EventHandler"]) { [diary] _ in
            LivingUsers("users", diary)
        }
        let host = try host()
        #expect(try await users(host) == "users")
        host.stop()
        #expect(
            diary.lines.filter { !$0.contains("has") } == [
                "events starts", "users starts", "users stops", "events stops",
            ])
    }

    @Test("a start gets the services of others, under the name of its module")
    func resolving() async throws {
        let log = Mutex<[String]>([])
        try drop(
            "first",
            starting: { resolver in
                try resolver.resolve(Logger.self).warning("hello")
                _ = try resolver.resolve((any EventHandler).self)
            })
        try folder.addLoadable(.sampleEvents())
        let host = try Host(manifest: folder.manifest()) { event in
            if case .logged(let entry) = event {
                log.withLock { $0.append("\(entry.module ?? "nobody"): \(entry.text)") }
            }
        }
        #expect(try await users(host) == "first")
        #expect(log.withLock { $0 }.contains("users: hello"))
    }

    @Test("modules that need each other to start are an error with the whole circle")
    func circle() throws {
        try dropEvents(starting: { _ = try $0.resolve((any UserService).self) })
        try drop("users", starting: { _ = try $0.resolve((any EventHandler).self) })
        let host = try host()
        let error = try #require(throws: ResolutionError.self) {
            try host.resolve((any UserService).self)
        }
        #expect("\(HostError(error))".contains("users → events → users"))
    }

    @Test("two threads that start modules which need each other get the circle, too")
    func circleOfThreads() throws {
        let (atUsers, atEvents) = (Awaited<Bool>(), Awaited<Bool>())
        try dropEvents(
            starting: {
                atEvents.set(true)
                _ = atUsers.wait(within: Patience.limit)
                _ = try $0.resolve((any UserService).self)
            })
        try drop(
            "users",
            starting: {
                atUsers.set(true)
                _ = atEvents.wait(within: Patience.limit)
                _ = try $0.resolve((any EventHandler).self)
            })
        let both = try askForBoth(host())
        #expect(both.contains("users → events → users") || both.contains("events → users → events"))
    }

    @Test(
        "a factory that needs a module, and the module's start that needs the factory's service, get an error",
        arguments: [false, true])
    func circleOfFactoryAndStart(factoryWaitsFirst: Bool) throws {
        let (inFactory, inStart) = (Awaited<Bool>(), Awaited<Bool>())
        let waits = Awaited<@Sendable () -> Bool>()
        try dropEvents(
            starting: {
                inStart.set(true)
                _ = inFactory.wait(within: Patience.limit)
                if factoryWaitsFirst {
                    let isWaiting = waits.wait()
                    try Patience.wait(for: "the factory to wait", until: isWaiting)
                }
                _ = try $0.resolve((any UserService).self)
            })
        try folder.drop(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self, scope: .shared) { resolver in
                inFactory.set(true)
                _ = inStart.wait(within: Patience.limit)
                _ = try resolver.resolve((any EventHandler).self)
                return KeptUsers(words: "users")
            }
        }
        let host = try host()
        waits.set { [board = host.modules.loader.board] in board.isAwaited("events") }
        let both = try askForBoth(host)
        #expect(!both.contains("waited 30"), "\(both)")
        #expect(
            both.contains("another thread starts 'events', and that start waits for a service")
                || both.contains("UserService is needed to create itself"), "\(both)")
    }

    @Test("a thread that asks for a module waits until another one has started it")
    func waiting() async throws {
        let (begun, goOn) = (Awaited<Bool>(), Awaited<Bool>())
        try drop(
            "first",
            starting: { _ in
                begun.set(true)
                _ = goOn.wait(within: Patience.limit)
            })
        let host = try host()
        let first = Awaited<Bool>()
        try DetachedThread.start {
            first.set((try? host.resolve((any UserService).self)) != nil)
        }
        #expect(begun.wait(within: Patience.limit) == true)
        #expect(host.container.served.isEmpty, "nobody sees it yet")
        let second = Awaited<Bool>()
        try DetachedThread.start {
            second.set((try? host.resolve((any UserService).self)) != nil)
        }
        try Patience.wait(for: "the second thread to wait") {
            host.modules.loader.board.isAwaited("users")
        }
        #expect(second.wait(within: .zero) == nil)
        goOn.set(true)
        #expect(first.wait(within: Patience.limit) == true)
        #expect(second.wait(within: Patience.limit) == true)
        #expect(diary.lines == ["first starts"])
    }

    @Test("a stop that hangs is named and passed over, and one that throws is told")
    func badStops() async throws {
        let goOn = Awaited<Bool>()
        defer { goOn.set(true) }
        try dropEvents(stopping: { throw FixtureError("not closed") })
        try drop(
            "users", starting: { _ = try $0.resolve((any EventHandler).self) },
            stopping: { _ = goOn.wait(within: Patience.limit) })
        let warnings = Warnings()
        let host = try host(warnings)
        #expect(try await users(host) == "users")
        #expect(!host.stop(within: .seconds(4)))
        #expect(warnings.all.count == 2)
        #expect(warnings.all[0].contains("users: stop did not return within"))
        #expect(warnings.all[1].contains("events: stop failed: not closed"))
    }

    @Test("a host that has stopped loads nothing more, and takes on no change")
    func afterStop() async throws {
        try folder.addLoadable(.sampleEvents())
        let host = try await servingHost()
        host.stop()
        let error = try #require(throws: ResolutionError.self) {
            try host.resolve((any EventHandler).self)
        }
        #expect("\(HostError(error))".contains("the host has stopped"))
        try drop("second")
        #expect(host.changes() == [])
        #expect(try await users(host) == "first")
    }

    @Test("a second life cycle refuses the module")
    func second() throws {
        try folder.drop(.sample(provides: ["UserService"])) { [diary] registrar in
            registrar.lifecycle(LivingUsers("one", diary))
            registrar.lifecycle(LivingUsers("two", diary))
            registrar.register((any UserService).self) { _ in Users(module: "users") }
        }
        let host = try host()
        let error = try #require(throws: ResolutionError.self) {
            try host.resolve((any UserService).self)
        }
        #expect("\(HostError(error))".contains("registers 2 life cycles, and a module has one"))
    }
}

/// Keeps the warnings of a host.
final class Warnings: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }

    func add(_ event: HostEvent) {
        if case .warned(let problem) = event {
            kept.withLock { $0.append(problem.description) }
        }
    }
}

extension ModuleDeclaration {
    /// A module of events.
    static func sampleEvents() -> ModuleDeclaration {
        sample("events", provides: ["EventHandler"])
    }
}
