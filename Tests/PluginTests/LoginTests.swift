// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
    import EavesInterface
    import Testing

    @testable import Login

    @Suite("The login")
    struct LoginTests {
        private let events = KeptEvents()
        private let routes = KeptRoutes()

        private func login(_ launch: Launch, name: String? = nil) async throws -> ExitCode {
            try await LoginScreen(
                name: name, users: FixedUsers(), events: events, routing: routes
            ).launch(launch)
        }

        @Test(
            "takes the name from the arguments and goes home",
            arguments: [
                ["--name", "Grace"], ["--name=Grace"], ["--name", "Edsger", "--name", "Grace"],
            ])
        func arguments(_ arguments: [String]) async throws {
            let console = ScriptedConsole()
            let status = try await login(Launch(arguments: arguments, console: console))
            #expect(status == ExitCode(42))
            #expect(routes.all == ["HomeRoute(user: EavesInterface.User(id: 7, name: \"Grace\"))"])
            // The arguments were for the login.
            #expect(routes.arguments == [[]])
            #expect(events.all == [Event("login.succeeded", attributes: ["name": "Grace"])])
        }

        @Test("asks the person at an interactive console")
        func asks() async throws {
            let console = ScriptedConsole(answers: ["Grace"])
            _ = try await login(Launch(console: console))
            #expect(console.output == "Name: ")
            #expect(events.all.map(\.name) == ["login.succeeded"])
        }

        @Test("takes the name from the route that opens it")
        func opened() async throws {
            _ = try await login(Launch(console: ScriptedConsole()), name: "Edsger")
            #expect(events.all == [Event("login.succeeded", attributes: ["name": "Edsger"])])
        }

        @Test(
            "is a usage error without a name at a console that is not interactive",
            arguments: [[], ["--name"], ["--nam", "Grace"], ["Grace"]])
        func nobody(_ arguments: [String]) async throws {
            let launch = Launch(arguments: arguments, console: ScriptedConsole())
            await #expect(throws: UsageError.self) { _ = try await login(launch) }
            #expect(events.all.isEmpty)
        }

        @Test("turns a stranger away, and records it")
        func stranger() async throws {
            let console = ScriptedConsole()
            let launch = Launch(arguments: ["--name", "Mallory"], console: console)
            #expect(try await login(launch) == .failure)
            #expect(console.warnings == ["There is no user named 'Mallory'."])
            #expect(events.all == [Event("login.failed", attributes: ["name": "Mallory"])])
            #expect(routes.all.isEmpty)
        }
    }
#endif
