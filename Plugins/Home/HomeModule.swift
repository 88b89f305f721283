// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the home screen: its factory, and the destination of links.
enum HomeModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any HomeFactory).self, injecting: HomeScreens.init(users:))
        registrar.registerDestination(
            "home", [.optional("user", .number)], needs: [.later((any HomeFactory).self)]
        ) { link, router in
            try router.container.resolve((any HomeFactory).self)
                .makeHome(for: link.number("user"), router: router)
        }
    }
}

/// Creates home screens.
struct HomeScreens: HomeFactory {
    let users: any UserService

    func makeHome(for user: User.ID?, router: ScreenRouter) -> any HomeViewModelInterface {
        HomeViewModel(user: user, users: users, routes: router)
    }
}
