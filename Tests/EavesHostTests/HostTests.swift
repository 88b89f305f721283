// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesJSON
import EavesLife
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesHost

@Suite("A host", .onOwnThreads)
struct HostTests {
    private let folder: TemporaryFolder
    private let log = EventLog()
    private let console = KeptConsole()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var launch: Launch { Launch(arguments: ["--name", "Alice"], console: console) }

    @Test("launches a feature with its arguments, and returns its exit code")
    func launches() async throws {
        try folder.addLoadable(
            .sample("login", requires: ["UserService"], features: ["login", "logout"]))
        try folder.addLoadable(.sample(provides: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        #expect(try await host.launch("login", launch) == ExitCode(7))
        #expect(console.text == "login --name Alice\n")
        // A module that is only declared is loaded when somebody asks for its service.
        #expect(log.loaded == ["login"])
    }

    @Test("loads nothing for a feature of the program itself")
    func own() async throws {
        try folder.addLoadable(.sample("login", features: ["login"]))
        let host = try folder.host(tellingTo: log)
        try host.container.register((any Feature).self, name: "login") { _ in
            Answer(module: "the program")
        }
        #expect(try await host.launch("login", launch) == ExitCode(7))
        #expect(console.text == "the program --name Alice\n")
        #expect(log.lines.isEmpty)
    }

    @Test("does not take a service of the program for the feature of that name")
    func ownOfThatName() async throws {
        try folder.addLoadable(.sample("login", features: ["UserService"]))
        let host = try folder.host(tellingTo: log)
        try host.container.register((any UserService).self) { _ in Users(module: "program") }
        #expect(try await host.launch("UserService", launch) == ExitCode(7))
        #expect(log.loaded == ["login"])
    }

    @Test("loads nothing for a feature whose requirements are not all provided")
    func incomplete() async throws {
        try folder.addLoadable(.sample("login", requires: ["UserService"], features: ["login"]))
        let host = try folder.host(tellingTo: log)
        await #expect(throws: PlanError.self) { try await host.launch("login", launch) }
        #expect(log.lines.isEmpty)
    }

    @Test("names the module of a feature that cannot be created")
    func notCreated() async throws {
        try folder.addLoadable(.sample("login", features: ["login"])) { registrar in
            registrar.registerFeature("login") { _ in throw PlainError() }
        }
        let host = try folder.host()
        let error = await #expect(throws: FeatureError.self) {
            try await host.launch("login", launch)
        }
        #expect(error?.reason is PlainError)
        #expect(error?.id == "login")
    }

    @Test("routes to a feature that a module's factory makes, and loads the module for it")
    func routes() async throws {
        try folder.addLoadable(.sample("login", provides: ["LoginFactory"]))
        let host = try folder.host(tellingTo: log)
        let router = try host.container.resolve((any Routing).self)
        #expect(log.lines.isEmpty)
        #expect(try await router.open(LoginRoute(), launch) == ExitCode(7))
        #expect(console.text == "login --name Alice\n")
        #expect(log.loaded == ["login"])
    }

    @Test("a route to which no module leads is an error that names the factory")
    func noRoute() async throws {
        let host = try folder.host()
        let router = try host.container.resolve((any Routing).self)
        let error = await #expect(throws: ResolutionError.self) {
            try await router.open(HomeRoute(user: User(id: 1, name: "Alice")), launch)
        }
        #expect(error?.wanted.service == "HomeFactory")
    }

    @Test("a request for a feature is a question for the feature of that name")
    func capabilities() {
        #expect(
            Capability(ServiceRequest((any Feature).self, name: "login")) == .feature("login"))
        #expect(Capability(ServiceRequest((any Feature).self)) == .feature(""))
        #expect(
            Capability(ServiceRequest((any UserService).self, name: "n", arguments: [Int.self]))
                == .service("CommonInterface.UserService", name: "n"))
    }
}

@Suite("Settings from the manifest", .onOwnThreads)
struct ManifestSettingsTests {
    @Test("keep every kind of value, and the last of two with one name")
    func values() throws {
        let settings = Settings(
            [
                JSON.Member(name: "null", value: .null),
                JSON.Member(name: "bool", value: .bool(true)),
                JSON.Member(name: "integer", value: .integer(3)),
                JSON.Member(name: "number", value: .number(1.5)),
                JSON.Member(name: "long", value: .integer(9_007_199_254_740_993)),
                JSON.Member(name: "longer", value: .number(JSONNumeral("18446744073709551615"))),
                JSON.Member(name: "text", value: .string("a")),
                JSON.Member(name: "list", value: .array([.integer(1), .null])),
                JSON.Member(name: "table", value: ["a": .bool(false), "b": ["c": .string("d")]]),
                JSON.Member(name: "text", value: .string("b")),
            ], directory: "/project")
        #expect(settings["null"] == .null)
        #expect(settings["bool"] == .bool(true))
        #expect(settings["integer"] == .number(3))
        #expect(settings["number"] == .number(1.5))
        #expect(settings["long"] == .digits("9007199254740993"))
        #expect(settings["longer"] == .digits("18446744073709551615"))
        #expect(settings.text().contains(#""longer":18446744073709551615,"#))
        #expect(settings["text"] == .string("b"))
        #expect(settings["list"] == .list([.number(1), .null]))
        #expect(
            settings["table"] == .table(["a": .bool(false), "b": .table(["c": .string("d")])]))
        #expect(settings["nothing"] == nil)
        #expect(try settings.path("text") == "/project/b")
    }
}

@Suite("A feature that a host runs", .onOwnThreads)
struct FeatureRunTests {
    private struct Weather: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            _ = try launch.parse(.option("--unit"), .flag("--brief"))
            return .failure
        }
    }

    private let folder: TemporaryFolder
    private let console = KeptConsole()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func host() throws -> Host {
        let host = try folder.host()
        try host.container.register((any Feature).self, name: "weather") { _ in Weather() }
        return host
    }

    @Test("and that is asked for help has it printed, with its name, and succeeds")
    func help() async throws {
        let launch = Launch(arguments: ["--help"], summary: "Tell the weather", console: console)
        #expect(try await host().launch("weather", launch) == .success)
        #expect(
            console.text.hasPrefix("Tell the weather\n\nusage: weather [OPTION…]\n\noptions:\n"))
    }

    @Test(
        "and that does not know an option suggests those that are called like it",
        arguments: [
            ("--units", "unknown option '--units', did you mean '--unit'?"),
            ("--brif=x", "unknown option '--brif', did you mean '--brief'?"),
            ("--hepl", "unknown option '--hepl', did you mean '--help'?"),
            ("-x", "unknown option '-x'"),
        ])
    func nearMatches(word: String, message: String) async throws {
        let error = await #expect(throws: UsageError.self) {
            try await host().launch("weather", Launch(arguments: [word], console: console))
        }
        #expect(error?.description == message)
        #expect(error?.fix == "see the options with '--help'")
    }

    private actor Counter {
        private(set) var count = 0

        func add() { count += 1 }
    }

    private struct Staying: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            let thread = pthread_self()
            await Counter().add()
            return thread == pthread_self() ? .success : .failure
        }
    }

    @Test("and that was called on any thread keeps the one that it has, when it awaits an actor")
    func thread() async throws {
        let host = try host()
        try host.container.register((any Feature).self, name: "staying") { _ in Staying() }
        for _ in 0..<300 {
            let code = Awaited<ExitCode?>()
            try DetachedThread.start { [launch = Launch(console: console)] in
                _ = Task.immediate { code.set(try? await host.launch("staying", launch)) }
            }
            #expect(try await DetachedThread.result { code.wait() } == .success)
        }
    }

    @Test("and that is in Swift refuses an argument that is not UTF-8, and names it")
    func bytes() async throws {
        let odd = String(keeping: [0x2d, 0x78, 0xe9, 0x79])
        let error = await #expect(throws: UsageError.self) {
            try await host().launch("weather", Launch(arguments: ["ä", odd], console: console))
        }
        #expect(error?.description == "argument 2 is not UTF-8: '\(odd)'")
    }

    @Test("gets messages to its observer, each with the module whose factory got the logger")
    func loggers() async throws {
        let log = EventLog()
        let host = try folder.host(tellingTo: log)
        try host.container.register((any UserService).self) { resolver in
            try resolver.resolve(Logger.self).info("users")
            return Users(module: "program")
        }
        _ = try host.container.resolve((any UserService).self)
        let quiet = try Host(manifest: folder.manifest(), loggingFrom: .error) { log.add($0) }
        let logger = try quiet.container.resolve(Logger.self)
        logger.warning("no")
        logger.error("yes")
        #expect(log.lines == ["host logged users", "host logged yes"])
    }
}

@Suite("Services that modules may lack", .onOwnThreads)
struct OptionalServiceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("are nil if no module provides them, or only modules that are switched off")
    func absent() throws {
        try folder.addLoadable(.sample("users", provides: ["UserService"]))
        try folder.addLoadable(.sample("events", provides: ["EventHandler"]))
        let host = try folder.host(modules: #""events": { "enabled": false }"#)
        #expect(try host.container.resolveIfProvided((any LoginFactory).self) == nil)
        #expect(try host.container.resolveIfProvided((any EventHandler).self) == nil)
        #expect(try host.container.resolveIfProvided((any UserService).self, name: "x") == nil)
        #expect(try host.container.resolveIfProvided((any UserService).self) is Users)
    }

    @Test("are nil in a factory, too, next to a file that is no module")
    func inFactory() throws {
        try folder.write("no module", to: "Plugins/broken.so")
        try folder.addLoadable(.sample("users", provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { resolver throws in
                #expect(try resolver.resolveIfProvided((any EventHandler).self) == nil)
                return Users(module: "users")
            }
        }
        let host = try folder.host()
        #expect(try host.container.resolve((any UserService).self) is Users)
    }

    @Test("are an error if the module that provides them cannot be loaded, or none can be chosen")
    func errors() throws {
        try folder.addLoadable(.sample("users", provides: ["UserService"])) { _ in
            throw PlainError()
        }
        try folder.addLoadable(.sample("one", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("two", provides: ["EventHandler"]))
        let host = try folder.host()
        #expect(throws: ResolutionError.self) {
            try host.container.resolveIfProvided((any UserService).self)
        }
        #expect(throws: ResolutionError.self) {
            try host.container.resolveIfProvided((any EventHandler).self)
        }
    }

    @Test("are told in words, whoever prints the error")
    func words() throws {
        try folder.addLoadable(.sample("one", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("two", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("users", provides: ["UserService"]))
        let host = try folder.host(modules: #""users": { "enabled": false }"#)
        func text<Service: Sendable>(_ service: Service.Type) throws -> String {
            let provider = host.container.provider(service)
            return "\(try #require(throws: ResolutionError.self) { try provider.get() })"
        }
        #expect(
            try text((any EventHandler).self) == """
                cannot load the provider of EventHandler: EventHandler is provided by one and two, and \
                the manifest binds it to none
                fix: choose one: 'eaves swap EventHandler one' or 'eaves swap EventHandler two'
                """)
        #expect(
            try text((any UserService).self) == """
                no provider for UserService
                  UserService is provided by 'users', which is disabled
                  fix: 'eaves enable users'
                """)
        #expect(
            try text((any LoginFactory).self) == """
                no provider for LoginFactory
                  no module provides LoginFactory
                  fix: add a module that provides it, and see 'eaves list'
                """)
    }
}
