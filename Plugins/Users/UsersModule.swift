// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the list of all users: as a screen, and as a feature that prints it.
enum UsersModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UsersFactory).self) { UsersScreens(resolver: $0) }
        registrar.register((any UsersViewModelInterface).self) { (_, choice: UserChoice) in
            UsersViewModel(choice: choice)
        }
        registrar.registerDestination(
            "users", needs: [.later((any UsersFactory).self)]
        ) { _, router in
            try router.container.resolve((any UsersFactory).self)
                .makeUsers(router: router, picked: nil)
        }
        registrar.registerFeature("users") { resolver in
            UsersFeature(users: try resolver.resolve((any UserService).self))
        }
    }
}

/// Creates lists of all users.
struct UsersScreens: UsersFactory {
    let resolver: any Resolver

    func makeUsers(
        router: ScreenRouter, picked: (@Sendable (User) async -> Void)?
    ) throws -> any UsersViewModelInterface {
        try resolver.resolve(
            (any UsersViewModelInterface).self,
            arguments: UserChoice(routes: router, picked: picked))
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
