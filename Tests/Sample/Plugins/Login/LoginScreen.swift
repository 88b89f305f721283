// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Asks who the user is, and opens the user's home screen.
///
/// The name comes from the route that opens the screen, from `--name`, or from the person.
struct LoginScreen: Feature {
    let name: String?
    let users: any UserService
    let events: any EventHandler
    let routing: any Routing

    func launch(_ launch: Launch) async throws -> ExitCode {
        let given = try launch.parse(
            .option("--name", value: "NAME", help: "the user; asked for if it is not given"))
        guard let name = try name ?? given ?? ask(launch.console) else {
            throw UsageError("there is no name to log in with", fix: "give '--name NAME'")
        }
        guard let user = try await users.user(named: name) else {
            try await events.handle(Event("login.failed", attributes: ["name": name]))
            launch.console.warn("There is no user named '\(name)'.")
            return .failure
        }
        try await events.handle(Event("login.succeeded", attributes: ["name": name]))
        return try await routing.open(HomeRoute(user: user), Launch(console: launch.console))
    }

    private func ask(_ console: any Console) throws -> String? {
        console.isInteractive ? try console.ask("Name: ") : nil
    }
}

/// Creates login screens.
struct LoginScreens: LoginFactory {
    private let users: any UserService
    private let events: any EventHandler
    private let routing: any Routing

    init(resolver: any Resolver) throws {
        users = try resolver.resolve((any UserService).self)
        events = try resolver.resolve((any EventHandler).self)
        routing = try resolver.resolve((any Routing).self)
    }

    func makeLogin(name: String?) -> any Feature {
        LoginScreen(name: name, users: users, events: events, routing: routing)
    }
}
