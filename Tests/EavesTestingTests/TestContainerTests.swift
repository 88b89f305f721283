// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Synchronization
import Testing

/// Greets the first user, and logs.
private enum GreeterModule: Module {
    struct Greeting: Feature {
        @Injected var logger: Logger
        @Injected var users: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode {
            let word = try launch.parse(.option("--word", default: "Hello", help: "how to greet"))
            guard let user = try await users.users().first else {
                logger.warning("nobody to greet")
                return .failure
            }
            logger.debug("greeting \(user.name)")
            try launch.console.print("\(word), \(user.name)")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("greet") { _ in Greeting() }
    }
}

@Suite("the trait .container")
struct ContainerTraitTests {
    @Suite("at a suite", .container { try $0.load(GreeterModule.self, id: "greeter") })
    struct OfSuite {
        private static let seen = Mutex<[TestContainer]>([])

        @Test(
            "gives each test, and each case, a container of its own", arguments: ["Ada", "Grace"])
        func own(name: String) async throws {
            let container = try TestContainer.current
            Self.seen.withLock { seen in
                #expect(!seen.contains { $0 === container })
                seen.append(container)
            }
            container.replace((any UserService).self) { _ in MockUsers(name) }
            #expect(try await container.launch("greet").output == "Hello, \(name)\n")
        }

        @Test("gives the one of the test, where that has one", .container())
        func innermost() throws {
            let error = #expect(throws: ResolutionError.self) {
                try TestContainer.current.resolve((any Feature).self, name: "greet")
            }
            #expect(error?.wanted.name == "greet")
        }

        @Test("is there in child tasks, and not in detached ones")
        func tasks() async throws {
            let container = try TestContainer.current
            async let child = TestContainer.current
            #expect(try await child === container)
            #expect(try await Task { try TestContainer.current }.value === container)
            let error = await #expect(throws: TestContainerError.self) {
                try await Task.detached { _ = try TestContainer.current }.value
            }
            #expect(error?.messages.first?.contains("fix: give it to the test") == true)
        }
    }

    @Test("releases the container and its instances when the test has ended")
    func released() async throws {
        final class Users: UserService {
            let isGone: @Sendable () -> Void

            init(isGone: @escaping @Sendable () -> Void) {
                self.isGone = isGone
            }

            deinit { isGone() }

            func users() async throws -> [User] { [] }
        }
        let gone = Counter()
        let trait: ContainerTrait = .container { made in
            made.replace((any UserService).self, scope: .shared) { _ in
                Users { _ = gone.next() }
            }
        }
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: nil) {
            _ = try TestContainer.current.resolve((any UserService).self)
        }
        #expect(gone.next() == 2)
    }

    @Test("fails the test whose container cannot be made or prepared")
    func failing() async throws {
        let test = try #require(Test.current)
        let runs = Counter()
        let missing: ContainerTrait = .container(manifest: "/nowhere/manifest.json")
        await #expect(throws: TestContainerError.self) {
            try await missing.provideScope(for: test, testCase: nil) { _ = runs.next() }
        }
        let broken: ContainerTrait = .container { _ in throw UsageError("no") }
        await #expect(throws: UsageError.self) {
            try await broken.provideScope(for: test, testCase: nil) { _ = runs.next() }
        }
        #expect(runs.next() == 1)
    }

    @Test("loads real modules, where it is given a manifest")
    func manifest() async throws {
        let test = try #require(Test.current)
        let trait: ContainerTrait = .container(manifest: try Modules.manifest()) {
            $0.replace((any UserService).self) { _ in MockUsers("Grace") }
        }
        try await trait.provideScope(for: test, testCase: nil) {
            let launch = try await TestContainer.current.launch("users")
            #expect(launch.output == "1 Grace\n")
        }
    }
}

@Suite(
    "what a test container keeps of its modules",
    .container {
        try $0.load(GreeterModule.self, id: "greeter")
    })
struct TestContainerLogTests {
    @Test("keeps what modules log, each message with the module's id")
    func log() async throws {
        let container = try TestContainer.current
        container.replace((any UserService).self) { resolver in
            try resolver.resolve(Logger.self).info("mocked")
            return MockUsers("Grace")
        }
        _ = try await container.launch("greet")
        #expect(
            container.log == [
                TestLogMessage(module: nil, level: .info, text: "mocked"),
                TestLogMessage(module: "greeter", level: .debug, text: "greeting Grace"),
            ])
        #expect(
            container.log.map(\.description) == ["info: mocked", "greeter: debug: greeting Grace"])
    }

    @Test("gives modules another logger if the test replaces it")
    func replacedLogger() async throws {
        let container = try TestContainer.current
        let lines = Mutex<[String]>([])
        container.replace((any UserService).self) { _ in MockUsers() }
        container.replace(Logger.self) { _ in
            Logger(level: .warning) { level, text in lines.withLock { $0.append(text) } }
        }
        #expect(try await container.launch("greet").exitCode == .failure)
        #expect(lines.withLock { $0 } == ["nobody to greet"])
        #expect(container.log.isEmpty)
    }

    @Test("creates what a scope keeps anew after a reset, and leaves other scopes alone")
    func reset() throws {
        let container = try TestContainer.current
        let counter = Counter()
        for scope in [Scope.shared, .named("session")] {
            container.replace(Int.self, name: scope.name, scope: scope) { _ in counter.next() }
        }
        func all() throws -> [Int] {
            try ["shared", "session"].map { try container.resolve(Int.self, name: $0) }
        }
        #expect(try all() == [1, 2])
        container.reset(.named("session"))
        #expect(try all() == [1, 3])
        container.reset(.shared)
        #expect(try all() == [4, 3])
    }
}

@Suite("replacements in a test container")
struct ReplacementTests {
    private final class Number: Sendable {
        let value: Int

        init(_ value: Int) {
            self.value = value
        }
    }

    private enum NumberModule: Module {
        static func register(in registrar: any Registrar) {
            registrar.register(Number.self, scope: .shared) { _ in Number(1) }
        }
    }

    @Test("are undone, and what the module registered answers again")
    func undo() throws {
        let container = try TestContainer()
        try container.load(NumberModule.self)
        let original: Number = try container.resolve()
        let replacement = container.replace(Number.self) { _ in Number(2) }
        #expect(try container.resolve(Number.self).value == 2)
        replacement.undo()
        #expect(try container.resolve(Number.self) === original)
    }

    @Test("give way to a module that was loaded meanwhile")
    func loadedMeanwhile() throws {
        let container = try TestContainer()
        let replacement = container.replace(Number.self) { _ in Number(2) }
        try container.load(NumberModule.self)
        #expect(try container.resolve(Number.self).value == 2)
        replacement.undo()
        #expect(try container.resolve(Number.self).value == 1)
    }
}

@Suite("TestConsole")
struct TestConsoleTests {
    @Test("is interactive if it has input, and reads the lines in order")
    func input() {
        let console = TestConsole(input: ["a", ""])
        #expect(console.isInteractive)
        #expect(console.readLine() == "a")
        #expect(console.readLine() == "")
        #expect(console.readLine() == nil)
        #expect(TestConsole(input: []).isInteractive)
        #expect(!TestConsole().isInteractive)
        #expect(TestConsole().readLine() == nil)
    }

    @Test("keeps output and warnings apart, and splits the output into lines")
    func output() throws {
        let console = TestConsole()
        #expect(console.lines.isEmpty)
        try console.print("a")
        console.write("\nb")
        console.warn("careful")
        #expect(console.output == "a\n\nb")
        #expect(console.lines == ["a", "", "b"])
        #expect(console.warnings == ["careful"])
    }
}
