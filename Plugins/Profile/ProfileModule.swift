// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import ProfileInterface

/// Provides the screen on which a user edits the account: its factory, and the destination of links.
enum ProfileModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register(
            (any ProfileFactory).self,
            needs: [
                .service((any UserService).self),
                .later((any ProfileRouting).self, arguments: ScreenRouter.self),
            ]
        ) { resolver in
            ProfileScreens(
                users: try resolver.resolve((any UserService).self), resolver: resolver)
        }
        registrar.registerDestination(
            "profile", [.optional("user", .number)], needs: [.later((any ProfileFactory).self)]
        ) { link, router in
            try router.container.resolve((any ProfileFactory).self)
                .makeProfile(of: link.number("user"), router: router)
        }
    }
}

/// Creates screens on which users edit their accounts.
struct ProfileScreens: ProfileFactory {
    let users: any UserService
    let resolver: any Resolver

    func makeProfile(
        of user: User.ID?, router: ScreenRouter
    ) throws -> any ProfileViewModelInterface {
        ProfileViewModel(
            user: user, users: users,
            routing: try resolver.resolve((any ProfileRouting).self, arguments: router))
    }
}
