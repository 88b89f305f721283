// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Testing

@Suite("a test container with real modules")
struct RealModulesTests {
    @Test("launches a feature, with arguments, input, output, messages and exit code")
    func launch() async throws {
        let container = try TestContainer(manifest: Modules.manifest())
        let events = KeptEvents()
        container.replace((any EventHandler).self) { _ in events }
        let alice = try await container.launch("login", ["--name", "Alice"])
        #expect(alice == TestLaunch(output: "Welcome home, Alice!\n"))
        let bob = try await container.launch("login", input: ["Bob"])
        #expect(bob.output == "Name: Welcome home, Bob!\n")
        let nobody = try await container.launch("login", ["--name", "Zoe"])
        #expect(nobody.exitCode == .failure)
        #expect(nobody.warnings == ["There is no user named 'Zoe'."])
        #expect(events.names == ["login.succeeded", "login.succeeded", "login.failed"])
    }

    @Test("replaces a service before its module is loaded, and after")
    func replaceBeforeAndAfter() async throws {
        let before = try TestContainer(manifest: Modules.manifest())
        before.replace((any UserService).self) { _ in MockUsers("Grace") }
        #expect(try await before.launch("users").output == "1 Grace\n")

        let after = try TestContainer(manifest: Modules.manifest())
        #expect(try await after.launch("users").output == "1 Alice\n2 Bob\n")
        after.replace((any UserService).self) { _ in MockUsers("Grace") }
        #expect(try await after.launch("users").output == "1 Grace\n")
        after.replace((any UserService).self) { _ in MockUsers("Edsger", "Grace") }
        #expect(try await after.launch("users").output == "1 Edsger\n2 Grace\n")
    }

    @Test("replaces one service of a module, and leaves its others")
    func replaceOneOfSeveral() async throws {
        let container = try TestContainer(manifest: Modules.awaiting())
        container.replaceAsync((any UserService).self, scope: .shared) { _ in
            await Task.yield()
            return MockUsers("Grace")
        }
        #expect(try await container.launch("visit").output == "window 2 of Grace\n")
        #expect(try await container.launch("visit").output == "window 3 of Grace\n")
        container.replaceOnMainActor((any UserService).self) { _ in
            MainActor.preconditionIsolated()
            return MockUsers("Edsger")
        }
        #expect(try await container.launch("visit").output == "window 4 of Edsger\n")
    }

    @Test("a replaced service needs no provider, and no binding")
    func replaceUnbound() async throws {
        let container = try TestContainer(manifest: Modules.unbound())
        let error = await #expect(throws: TestContainerError.self) {
            try await container.launch("users")
        }
        #expect(
            error?.messages == [
                """
                UserService is provided by awaits-services and users-memory and users-v2, and the \
                manifest binds it to none (needed by users)
                fix: choose one: 'eaves swap UserService awaits-services' or \
                'eaves swap UserService users-memory' or 'eaves swap UserService users-v2'
                """
            ])
        container.replace((any UserService).self) { _ in MockUsers("Grace") }
        #expect(try await container.launch("users").output == "1 Grace\n")
    }

    @Test("replaces features, and services with names and arguments")
    func replaceFeatures() async throws {
        let container = try TestContainer(manifest: Modules.manifest())
        container.replaceFeature("users") { resolver in
            Saying(line: try resolver.resolve(String.self, name: "greeting", arguments: 3))
        }
        container.replace(String.self, name: "greeting") { (_, count: Int) in
            String(repeating: "hey", count: count)
        }
        let launch = try await container.launch("users")
        #expect(launch.output == "heyheyhey\n")
        #expect(launch.exitCode == ExitCode(7))
        container.replaceFeature("weather") { _ in Saying(line: "sunny") }
        #expect(try await container.launch("weather").output == "sunny\n")
    }

    @Test("passes on the error of a feature, and shows the messages of the host")
    func errors() async throws {
        let container = try TestContainer(manifest: Modules.manifest())
        await #expect(throws: UsageError.self) { try await container.launch("login") }
        container.replace((any UserService).self) { _ in UnavailableUsers() }
        await #expect(throws: UnavailableUsers.Unavailable.self) {
            try await container.launch("users")
        }
        let unknown = await #expect(throws: TestContainerError.self) {
            try await container.launch("usres")
        }
        #expect(
            unknown?.description == """
                no module offers a feature 'usres', did you mean 'users'?
                fix: see all features with 'eaves list'
                """)
        let missing = #expect(throws: TestContainerError.self) {
            try TestContainer(manifest: "/nowhere/manifest.json")
        }
        #expect(missing?.description.hasPrefix("/nowhere/manifest.json: ") == true)
    }

    @Test("shows every problem of a manifest, and why a module is not loaded")
    func problems() async throws {
        let wrong = #expect(throws: TestContainerError.self) {
            try TestContainer(manifest: Modules.wrong())
        }
        #expect(wrong?.messages.count == 2)
        #expect(wrong?.messages.last?.contains("'second'") == true)
        let container = try TestContainer(manifest: Modules.pinned())
        container.replace((any UserService).self) { _ in MockUsers("Grace") }
        let refused = await #expect(throws: TestContainerError.self) {
            try await container.launch("users")
        }
        #expect(refused?.description.hasPrefix("users: ") == true)
        #expect(refused?.description.contains("sha256") == true)
    }

    @Test("replacing while modules are loaded leaves the mock in place")
    func replaceMeanwhile() async throws {
        for _ in 0..<50 {
            let container = try TestContainer(manifest: Modules.manifest())
            async let launch = container.launch("users")
            container.replace((any UserService).self) { _ in MockUsers("Grace") }
            // Either answer is right, but an error is not.
            _ = try await launch
            #expect(try await container.launch("users").output == "1 Grace\n")
        }
    }
}
