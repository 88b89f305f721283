// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import LoginInterface

/// Provides the login screen: its factory, the destination of links, and a feature.
enum LoginModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register(
            (any LoginFactory).self, injecting: LoginScreens.init(users:events:))
        registrar.registerDestination(
            "login", [.optional("name")], needs: [.later((any LoginFactory).self)]
        ) { link, router in
            try router.container.resolve((any LoginFactory).self)
                .makeLogin(name: link.text("name") ?? "", router: router)
        }
        registrar.registerFeature("login", needs: [.later((any Navigator).self)]) { resolver in
            ScreenFeature(resolver) { launch in
                let name = try launch.parse(
                    .option("--name", value: "NAME", help: "the name that is filled in"))
                return [Link("login", name.map { ["name": $0] } ?? [:])]
            }
        }
    }
}

/// Creates login screens.
struct LoginScreens: LoginFactory {
    let users: any UserService
    let events: any LoginEventHandler

    func makeLogin(name: String, router: ScreenRouter) -> any LoginViewModelInterface {
        LoginViewModel(name: name, users: users, events: events, routes: router)
    }
}
