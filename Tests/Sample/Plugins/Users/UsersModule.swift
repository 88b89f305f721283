// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers the feature `users`.
enum UsersModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("users") { resolver in
            UsersFeature(users: try resolver.resolve((any UserService).self))
        }
    }
}

/// Prints one line for each user, with id and name.
struct UsersFeature: Feature {
    let users: any UserService

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.parse()
        for user in try await users.users() {
            try launch.console.print("\(user.id) \(user.name)")
        }
        return .success
    }
}
