// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Asks for services by injection, a provider and a lazy service.
enum AsksAllModule: Module {
    /// Prints who is known to the chosen one.
    struct Injecting: Feature {
        @Injected var users: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode {
            let names = try await users.users().map(\.name)
            try launch.console.print(names.joined(separator: " "))
            return .success
        }
    }

    /// Asks when it is launched, and not before.
    struct Later: Feature {
        let users: Provider<any UserService>
        let events: Lazy<any EventHandler>

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("nothing is loaded yet")
            let names = try await users().users().map(\.name)
            try launch.console.print(names.joined(separator: " "))
            try await events().handle(Event("asked"))
            try await events().handle(Event("again"))
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("inject") { _ in Injecting() }
        registrar.registerFeature("ask-later") { resolver in
            Later(
                users: resolver.provider((any UserService).self),
                events: resolver.lazy((any EventHandler).self))
        }
    }
}
