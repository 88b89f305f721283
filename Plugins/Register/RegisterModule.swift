// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the screen on which people register: its factory, the destination of links, and a feature.
enum RegisterModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any RegisterFactory).self, injecting: RegisterScreens.init(users:))
        registrar.registerDestination(
            "register", [.optional("name")], needs: [.later((any RegisterFactory).self)]
        ) { link, router in
            try router.container.resolve((any RegisterFactory).self)
                .makeRegister(name: link.text("name") ?? "", router: router)
        }
        registrar.registerFeature("register", needs: [.later((any Navigator).self)]) { resolver in
            ScreenFeature(resolver) { launch in
                try launch.parse()
                return [Link("register")]
            }
        }
    }
}

/// Creates screens on which people register.
struct RegisterScreens: RegisterFactory {
    let users: any UserService

    func makeRegister(name: String, router: ScreenRouter) -> any RegisterViewModelInterface {
        RegisterViewModel(name: name, users: users, routes: router)
    }
}
