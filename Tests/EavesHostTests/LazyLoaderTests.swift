// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesLife
import EavesRegistry
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("Modules that are loaded when somebody asks for them", .onOwnThreads)
struct LazyLoaderTests {
    private let folder: TemporaryFolder
    private let log = EventLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The modules of all implementations of `UserService`.
    private func allUsers(_ host: Host) throws -> [String] {
        try host.container.resolveAll((any UserService).self)
            .compactMap { ($0 as? Users)?.module }.sorted()
    }

    private func users(_ host: Host, name: String? = nil) throws -> String? {
        (try host.container.resolve((any UserService).self, name: name) as? Users)?.module
    }

    @Test("are loaded once, on whatever threads it is asked")
    func once() async throws {
        let count = Atomic(0)
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        try folder.addLoadable(declaration) { registrar in
            count.add(1, ordering: .relaxed)
            try declaration.register(in: registrar)
        }
        try folder.addLoadable(.sample("other", provides: ["EventHandler"]))
        let host = try folder.host(tellingTo: log)
        #expect(log.lines.isEmpty)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try host.container.resolve((any UserService).self) }
            }
            try await group.waitForAll()
        }
        #expect(count.load(ordering: .relaxed) == 1)
        #expect(log.loaded == ["users"])
    }

    @Test("answer a thread that asked while another one was loading them")
    func meanwhile() throws {
        let asked = Atomic(0)
        let secondAsks = DispatchSemaphore(value: 0)
        let secondEnds = DispatchSemaphore(value: 0)
        let found = Mutex<String?>(nil)
        // Whoever comes here has not found the service in the container.
        let source = ScriptedSource { _ in
            if asked.add(1, ordering: .relaxed).newValue == 2 { secondAsks.signal() }
            return false
        }
        let isLoading = DispatchSemaphore(value: 0)
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        try folder.addLoadable(declaration) { registrar in
            isLoading.signal()
            guard secondAsks.wait(timeout: .now() + Patience.seconds) == .success else {
                throw PlainError()
            }
            try declaration.register(in: registrar)
        }
        let host = try folder.host(source: source, tellingTo: log)
        DispatchQueue.global().async {
            isLoading.wait()
            let users = try? host.container.resolve((any UserService).self)
            found.withLock { $0 = (users as? Users)?.module }
            secondEnds.signal()
        }
        #expect(try users(host) == "users")
        #expect(secondEnds.wait(timeout: .now() + Patience.seconds) == .success)
        #expect(found.withLock { $0 } == "users")
        #expect(log.loaded == ["users"])
    }

    @Test("tell whether a question loaded one")
    func provide() throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        let wanted = Capability.service("UserService", name: nil)
        #expect(try host.modules.provide(wanted, in: host.container))
        #expect(try !host.modules.provide(wanted, in: host.container))
        #expect(try !host.modules.provide(.service("Routing", name: nil), in: host.container))
        #expect(log.loaded == ["users"])
    }

    @Test("are loaded by name, and the other one stays unloaded")
    func named() throws {
        try folder.addLoadable(.sample("first", provides: ["UserService"]))
        try folder.addLoadable(.sample("second").providing("UserService", named: "archive"))
        let host = try folder.host(tellingTo: log)
        #expect(try users(host, name: "archive") == "second")
        #expect(log.loaded == ["second"])
    }

    @Test("a service that a module is not chosen for is left to the one that is bound")
    func alternatives() throws {
        try folder.addLoadable(.sample("old", provides: ["UserService", "EventHandler"]))
        try folder.addLoadable(.sample("new", provides: ["UserService"]))
        let host = try folder.host(bindings: #""UserService": "new""#, tellingTo: log)
        _ = try host.container.resolve((any EventHandler).self)
        #expect(log.loaded == ["old"])
        #expect(try users(host) == "new")
        #expect(log.loaded == ["old", "new"])
    }

    @Test("where nothing chooses between two, neither answers because it is loaded")
    func ambiguous() throws {
        try folder.addLoadable(.sample("old", provides: ["UserService", "EventHandler"]))
        try folder.addLoadable(.sample("new", provides: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        _ = try host.container.resolve((any EventHandler).self)
        let error = #expect(throws: ResolutionError.self) { try users(host) }
        guard case .moduleFailed(let reason) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((reason as? any Diagnosable)?.diagnostics.map(\.code) == [.configuration])
        #expect(log.loaded == ["old"])
    }

    @Test("all of a service are loaded, whatever it is bound to, and under whatever names")
    func all() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        try folder.addLoadable(.sample("b", provides: ["UserService"]))
        try folder.addLoadable(.sample("c").providing("UserService", named: "archive"))
        try folder.addLoadable(.sample("d", provides: ["EventHandler"]))
        let host = try folder.host(bindings: #""UserService": "b""#, tellingTo: log)
        #expect(try allUsers(host) == ["a", "b", "c"])
        #expect(log.loaded == ["a", "b", "c"])
        #expect(try users(host) == "b")
    }

    @Test("all of a service leave out modules that are off")
    func allEnabled() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        try folder.addLoadable(.sample("b", provides: ["UserService"]))
        let host = try folder.host(modules: #""b": { "enabled": false }"#, tellingTo: log)
        #expect(try allUsers(host) == ["a"])
    }

    @Test("are not looked for again once all of a service are loaded")
    func complete() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        let source = ScriptedSource()
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try allUsers(host) == ["a"])
        #expect(try allUsers(host) == ["a"])
        #expect(source.requests == [["a"]])
    }

    @Test("are looked for again after a change of any module")
    func completeNoMore() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        try folder.addLoadable(.sample("c", provides: ["EventHandler"]))
        let source = ScriptedSource { [folder] modules in
            guard modules.map(\.id) == ["c"] else { return false }
            try folder.addLoadable(.sample("b", provides: ["UserService"]))
            return true
        }
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try allUsers(host) == ["a"])
        _ = try host.container.resolve((any EventHandler).self)
        #expect(try allUsers(host) == ["a", "b"])
        #expect(log.loaded == ["a", "c", "b"])
    }

    @Test("all of a service that fail to load are not taken for complete")
    func incomplete() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        try folder.addLoadable(.sample("b", provides: ["UserService"])) { _ in throw PlainError() }
        let host = try folder.host(tellingTo: log)
        for _ in 0..<2 {
            let error = #expect(throws: (any Error).self) { try allUsers(host) }
            #expect("\(error, default: "")".contains("it broke"))
        }
        #expect(log.loaded == ["a"])
    }

    @Test("are built first, and then the catalog is asked again")
    func freshened() throws {
        try folder.addLoadable(.sample("old", provides: ["UserService"]))
        let source = ScriptedSource { [folder] modules in
            guard modules.map(\.id) == ["old"] else { return false }
            try folder.addLoadable(.sample("old", provides: ["EventHandler"]))
            try folder.addLoadable(.sample("new", provides: ["UserService"]))
            return true
        }
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try users(host) == "new")
        #expect(log.loaded == ["new"])
    }

    @Test("are all built first when all of a service are asked for")
    func allFreshened() throws {
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        let source = ScriptedSource { [folder] _ in
            guard !folder.has("Plugins/b.so") else { return false }
            try folder.addLoadable(.sample("b", provides: ["UserService"]))
            return true
        }
        let host = try folder.host(source: source, tellingTo: log)
        #expect(try allUsers(host) == ["a", "b"])
        #expect(source.requests == [["a"]])
    }

    @Test("are planned again after a build")
    func planAgain() async throws {
        try folder.addLoadable(.sample("login", features: ["login"]))
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let source = ScriptedSource { [folder] modules in
            guard modules.map(\.id) == ["login"] else { return false }
            try folder.addLoadable(
                .sample("login", requires: ["UserService"], features: ["login"]))
            return true
        }
        let host = try folder.host(source: source, tellingTo: log)
        let plan = try host.modules.plan(for: "login", unless: { _ in false })
        #expect(plan.modules.map(\.id) == ["users", "login"])
    }

    @Test(
        "are looked at once for a launch, and again by what asks later", arguments: [true, false])
    func freshened(isAtOnce: Bool) throws {
        try folder.addLoadable(.sample(provides: ["UserService"]))
        try folder.addLoadable(
            .sample("login", requires: ["UserService"], features: ["login"]))
        let source = ScriptedSource()
        var policy = LivePolicy()
        policy.freshTime = isAtOnce ? .seconds(600) : .zero
        let host = try Host(manifest: folder.manifest(), source: source, policy: policy) { _ in }
        _ = try host.modules.plan(for: "login", unless: { _ in false })
        _ = try host.resolve((any UserService).self)
        #expect(source.requests == [["users", "login"]] + (isAtOnce ? [] : [["users"]]))
    }

    @Test("tell once of an id that no module has, and what is wrong with the quarantine")
    func quarantine() throws {
        try folder.addLoadable(.sample(provides: ["UserService", "EventHandler"]))
        try folder.write("no JSON", to: ".eaves/quarantine/modules.json")
        let host = try folder.host(modules: #""usres": { "enabled": false }"#, tellingTo: log)
        _ = try host.container.resolve((any UserService).self)
        _ = try host.modules.provide(.service("EventHandler", name: nil), in: host.container)
        _ = try? host.modules.plan(for: "nothing", unless: { _ in false })
        let warnings = log.lines.filter { $0.hasPrefix("warned ") }
        #expect(warnings.map { $0.contains("did you mean 'users'?") } == [true, false])
        #expect(warnings.last?.contains("no module is kept out") == true)
        #expect(log.lines.first == warnings.first)
    }

    @Test("are loaded in no way while a mistyped id is to protect the host from one of them")
    func typo() throws {
        try folder.addLoadable(.sample(provides: ["UserService"], features: ["users"]))
        try folder.addLoadable(.sample("others", provides: ["UserService"]))
        let service = (any UserService).self
        let ways: [(Host) throws -> Any?] = [
            { try $0.modules.plan(for: "users", unless: { _ in false }) },
            { try $0.resolve(service) }, { try $0.container.resolveAll(service) },
            // It chooses otherwise than the host.
            { try $0.services.child(choosingBy: ["x": "h"]).resolve(service) },
            { try $0.load(["users"], restoring: [:]) },
        ]
        for way in ways {
            let host = try folder.host(
                bindings: #""UserService": { "users": 51, "others": 49, "by": "x" }"#,
                modules: #""usres": { "leastVersion": "2" }"#, tellingTo: log)
            for _ in 0..<2 {
                let error = #expect(throws: (any Error).self) { try way(host) }
                #expect(error.map { HostError($0).problems.map(\.code) } == [.badData])
            }
        }
        #expect(log.loaded.isEmpty)
    }

    @Test("runtime arguments that no registration takes are told with those that one takes")
    func otherArguments() throws {
        try folder.addLoadable(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { (_, name: String) in Users(module: name) }
        }
        let host = try folder.host(tellingTo: log)
        for _ in 0..<2 {
            let error = #expect(throws: ResolutionError.self) {
                try host.container.resolve((any UserService).self, arguments: 1)
            }
            guard case .notRegistered = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.wanted.description == "UserService(Int)")
            #expect(error?.candidates.count == 1)
            #expect(error?.candidates.first?.hasPrefix("UserService(String) (users, ") == true)
        }
        #expect(log.loaded == ["users"])
        let found = try host.container.resolve((any UserService).self, arguments: "Alice")
        #expect((found as? Users)?.module == "Alice")
    }

    @Test("are all loaded where they can be, with an error for each of the others, by their ids")
    func loadAll() throws {
        try folder.addLoadable(.sample("d", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("c")) { _ in throw PlainError() }
        try folder.addLoadable(.sample("b")) { _ in throw PlainError() }
        try folder.addLoadable(.sample("a", provides: ["UserService"]))
        try folder.addLoadable(.sample("off")) { _ in throw PlainError() }
        try folder.write("no module", to: "Plugins/broken.so")
        let host = try folder.host(modules: #""off": { "enabled": false }"#, tellingTo: log)
        let errors = try host.modules.loadAll(into: host.container)
        #expect(errors.map(\.id) == ["b", "c"])
        #expect(log.loaded == ["a", "d"])
    }
}

@Suite("A module.json that was edited since its module was built", .onOwnThreads)
struct EditedDeclarationTests {
    private let folder: TemporaryFolder
    private let log = EventLog()
    private let old = ModuleDeclaration.sample("edited", features: ["old"])
    private let new = ModuleDeclaration.sample("edited", features: ["old", "new"])

    init() throws {
        folder = try TemporaryFolder()
        try folder.addLoadable(old)
        try folder.addSource(old, in: "Plugins/Edited")
        try folder.addLoadable(.sample("other", features: ["other"]))
        try folder.addSource(.sample("other", features: ["other"]), in: "Plugins/Other")
    }

    private func launch(_ feature: String, _ source: ScriptedSource) async throws -> String {
        let host = try folder.host(source: source, tellingTo: log)
        let console = KeptConsole()
        _ = try await host.launch(feature, Launch(console: console))
        return console.text
    }

    @Test("is built first if it may declare the feature that nobody offers")
    func built() async throws {
        try folder.addSource(new, in: "Plugins/Edited")
        let source = ScriptedSource { [folder, new] modules in
            try folder.addLoadable(new)
            return true
        }
        #expect(try await launch("new", source) == "edited\n")
        #expect(source.requests.first == ["edited"])
    }

    @Test("is left alone if the feature is found without it")
    func notNeeded() async throws {
        try folder.addSource(new, in: "Plugins/Edited")
        let source = ScriptedSource()
        #expect(try await launch("other", source) == "other\n")
        #expect(source.requests == [["other"]])
    }

    @Test("is not built if it is off")
    func off() async throws {
        try folder.addSource(new, in: "Plugins/Edited")
        let source = ScriptedSource()
        let host = try folder.host(modules: #""edited": { "enabled": false }"#, source: source)
        #expect(throws: PlanError.self) {
            try host.modules.plan(for: "new", unless: { _ in false })
        }
        #expect(source.requests == [[]])
    }

    @Test("that nobody edited is not built")
    func unedited() throws {
        let source = ScriptedSource()
        let host = try folder.host(source: source)
        let error = #expect(throws: PlanError.self) {
            try host.modules.plan(for: "new", unless: { _ in false })
        }
        #expect(source.requests == [[]])
        #expect(error?.obstacles == [])
    }

    @Test("that does not build is told below the feature that was not found")
    func broken() throws {
        try folder.addSource(new, in: "Plugins/Edited")
        let reason = Diagnostic("edited does not compile", code: .badData)
        let host = try folder.host(source: ScriptedSource { _ in throw reason })
        let error = #expect(throws: PlanError.self) {
            try host.modules.plan(for: "nothing", unless: { _ in false })
        }
        #expect(
            error?.diagnostics.map(\.message)
                == ["no module offers a feature 'nothing'", "edited does not compile"])
    }

    @Test("that fails to build without words ends the launch with that error")
    func failing() throws {
        try folder.addSource(new, in: "Plugins/Edited")
        let host = try folder.host(source: ScriptedSource { _ in throw PlainError() })
        #expect(throws: PlainError.self) {
            try host.modules.plan(for: "nothing", unless: { _ in false })
        }
    }
}
