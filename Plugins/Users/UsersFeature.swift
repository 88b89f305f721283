// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Prints each user's id and name, a line each.
struct UsersFeature: Feature {
    let users: any UserService

    func launch(_ launch: Launch) async throws -> ExitCode {
        if launch.arguments.contains("--help") {
            try launch.console.print("usage: users")
            return .success
        }
        for user in try await users.users() {
            try launch.console.print("\(user.id) \(user.name)")
        }
        return .success
    }
}
