// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers a login that is no screen: tests see its output, its messages and its exit code.
enum GreeterModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("login", injecting: Greeter.init(users:events:))
    }
}

/// Asks for a name, and greets the user who has it.
struct Greeter: Feature {
    let users: any UserService
    let events: any EventHandler

    func launch(_ launch: Launch) async throws -> ExitCode {
        let given = try launch.parse(.option("--name", value: "NAME", help: "the user"))
        let console = launch.console
        guard let name = try given ?? (console.isInteractive ? console.ask("Name: ") : nil) else {
            throw UsageError("there is no name to log in with", fix: "give '--name NAME'")
        }
        guard let user = try await users.user(named: name) else {
            try await events.handle(Event("login.failed", attributes: ["name": name]))
            console.warn("There is no user named '\(name)'.")
            return .failure
        }
        try await events.handle(Event("login.succeeded", attributes: ["name": name]))
        try console.print("Welcome home, \(user.name)!")
        return .success
    }
}
