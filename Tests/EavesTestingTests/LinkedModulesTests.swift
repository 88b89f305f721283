// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Synchronization
import Testing

@Suite("a test container with modules that are linked into the test")
struct LinkedModulesTests {
    /// Greets the first user with the words of its settings.
    enum GreetingModule: Module {
        struct Greeting: Feature {
            let users: any UserService
            let words: String

            func launch(_ launch: Launch) async throws -> ExitCode {
                guard let user = try await users.users().first else { return .failure }
                try launch.console.print("\(words), \(user.name)")
                return .success
            }
        }

        static func register(in registrar: any Registrar) throws {
            let words = try registrar.settings.string("words") ?? "Hello"
            registrar.registerFeature("greet") { resolver in
                Greeting(users: try resolver.resolve((any UserService).self), words: words)
            }
            registrar.register((any UserService).self) { _ in MockUsers("Alice") }
        }
    }

    @Test("runs a module's registration with settings, and launches its feature")
    func launch() async throws {
        let container = try TestContainer()
        try container.load(GreetingModule.self, settings: Settings(["words": .string("Hi")]))
        #expect(try await container.launch("greet").output == "Hi, Alice\n")
        container.replace((any UserService).self) { _ in MockUsers("Grace") }
        #expect(try await container.launch("greet").output == "Hi, Grace\n")
    }

    @Test("a module that fails to register leaves nothing behind, and the error says why")
    func refused() async throws {
        let container = try TestContainer()
        #expect(throws: SettingsError.self) {
            try container.load(GreetingModule.self, settings: Settings(["words": .number(1)]))
        }
        try container.load(GreetingModule.self, id: "greeting")
        let error = #expect(throws: TestContainerError.self) {
            try container.load(GreetingModule.self, id: "again")
        }
        #expect(error?.messages.first?.contains("(again, EavesTestingTests/") == true)
        #expect(error?.messages.first?.contains("is registered already") == true)
    }

    @Test("an error names the missing service and the chain of needs")
    func missing() async throws {
        let container = try TestContainer()
        container.replaceFeature("greet") { resolver in
            Saying(line: "\(try resolver.resolve((any UserService).self))")
        }
        let error = await #expect(throws: ResolutionError.self) {
            try await container.launch("greet")
        }
        #expect(error?.wanted.service == "UserService")
        #expect(error?.chain.map(\.description) == ["feature 'greet'"])
    }

    @Test("provides the host's services, and is a resolver like any other")
    func resolver() async throws {
        let container = try TestContainer()
        container.replace(Homes.self) { _ in Homes() }
        let resolver: any Resolver = container
        let console = TestConsole()
        let code = try await resolver.resolve((any Routing).self)
            .open(HomeVisit(name: "Grace"), Launch(console: console))
        #expect(code == ExitCode(7))
        #expect(console.lines == ["home of Grace"])
        #expect(try resolver.resolveIfProvided((any EventHandler).self) == nil)
    }

    @Test("replaces services under their names, whatever kind of factory creates them")
    @MainActor
    func names() async throws {
        let container = try TestContainer()
        container.replace(Int.self, name: "a") { _ in 1 }
        container.replaceAsync(Int.self, name: "b") { _ in 2 }
        container.replaceOnMainActor(Int.self, name: "c") { _ in 3 }
        #expect(try container.resolve(Int.self, name: "a") == 1)
        #expect(try await container.resolveAsync(Int.self, name: "b") == 2)
        #expect(try container.resolveOnMainActor(Int.self, name: "c") == 3)
        #expect(try container.resolveIfProvided(Int.self) == nil)
    }

    @Test("counts changes for handles, and is held weakly by providers")
    func handles() throws {
        var container: TestContainer? = try TestContainer()
        let created = Counter()
        container?.replace(Int.self) { _ in created.next() }
        let provider = try #require(container?.provider(Int.self))
        do {
            var handle = try #require(container).handle(Int.self)
            #expect(try handle.borrow { $0 } == 1)
            #expect(try handle.borrow { $0 } == 1)
            container?.replace(Int.self) { _ in 10 }
            #expect(try handle.borrow { $0 } == 10)
        }
        #expect(try provider() == 10)
        container = nil
        let error = #expect(throws: ResolutionError.self) { try provider() }
        guard case .containerGone = error?.reason else {
            Issue.record("expected that the container is gone, found \(String(describing: error))")
            return
        }
    }

    private struct Homes: Sendable {
        func makeHome(of name: String) -> any Feature { Saying(line: "home of \(name)") }
    }

    private struct HomeVisit: Route {
        let name: String

        func feature(from factory: Homes) -> any Feature { factory.makeHome(of: name) }
    }

    /// Users that say whether they have started.
    enum LivingModule: Module {
        struct Users: UserService, Lifecycle {
            func start(_ resolver: any Resolver) throws {
                try resolver.resolve(Logger.self).info("starts")
            }

            func stop() throws { throw UserServiceError.wrongPassword }

            func users() async throws -> [User] { [] }
        }

        static func register(in registrar: any Registrar) {
            registrar.lifecycle(Users())
            registrar.register((any UserService).self) { _ in Users() }
        }
    }

    /// Users that count how often they are stopped.
    enum StoppedModule: Module {
        static let stops = Atomic(0)

        struct Users: UserService, Lifecycle {
            func start(_ resolver: any Resolver) {}

            func stop() { StoppedModule.stops.add(1, ordering: .relaxed) }

            func users() async throws -> [User] { [] }
        }

        static func register(in registrar: any Registrar) {
            registrar.lifecycle(Users())
            registrar.register((any UserService).self) { _ in Users() }
        }
    }

    @Test("a module that has started and cannot be registered is stopped, once")
    func stopsWhatIsRefused() throws {
        let container = try TestContainer()
        try container.load(GreetingModule.self)
        #expect(throws: TestContainerError.self) { try container.load(StoppedModule.self) }
        #expect(StoppedModule.stops.load(ordering: .relaxed) == 1)
        try container.stop()
        #expect(StoppedModule.stops.load(ordering: .relaxed) == 1)
    }

    @Test("a module's life cycle begins with the module, and ends on demand, once")
    func lifecycle() throws {
        let container = try TestContainer()
        try container.load(LivingModule.self, id: "living")
        #expect(container.log.map(\.text) == ["starts"])
        #expect(container.log.first?.module == "living")
        #expect(throws: UserServiceError.wrongPassword) { try container.stop() }
        try container.stop()
    }
}
