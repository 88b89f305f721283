// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

struct Tell: Feature {
    let users: any UserService
    let quick: any UserService
    let events: any EventHandler

    func launch(_ launch: Launch) async throws -> ExitCode {
        for user in try await users.users() {
            try launch.console.print("\(user.id) \(user.name)")
        }
        for (service, name) in [(users, "Bea"), (users, "Cid"), (quick, "Cid")] {
            let found = try await service.user(named: name)
            try launch.console.print(found.map { "\($0.id) \($0.name)" } ?? "no \(name)")
        }
        for event in [Event("asked", attributes: ["polite": "yes"]), Event("demanded")] {
            do {
                try await events.handle(event)
                try launch.console.print("handled \(event.name)")
            } catch {
                try launch.console.print("\(error)")
            }
        }
        return .success
    }
}

enum TellsPeopleModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("tell") { resolver in
            Tell(
                users: try resolver.resolve((any UserService).self),
                quick: try resolver.resolve((any UserService).self, name: "quick"),
                events: try resolver.resolve((any EventHandler).self))
        }
    }
}
