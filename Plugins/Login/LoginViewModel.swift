// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import LoginInterface

/// Asks for name and password, and opens the home screen of the user.
final class LoginViewModel: LoginViewModelInterface {
    /// The ways out of this screen, and no others.
    typealias Routes = HomeRoute & RegisterRoute

    private let name: String
    private let users: any UserService
    private let events: any LoginEventHandler
    private let routes: any Routes

    init(
        name: String, users: any UserService, events: any LoginEventHandler, routes: any Routes
    ) {
        self.name = name
        self.users = users
        self.events = events
        self.routes = routes
    }

    func screen() async -> Screen {
        Screen(
            "Log in",
            [
                .field(Screen.Field("name", "Name", value: name)),
                .field(Screen.Field("password", "Password", isSecret: true)),
            ],
            actions: [Screen.Action("log-in", "Log in"), Screen.Action("register", "Register")])
    }

    func handle(_ input: ScreenInput) async throws {
        switch input.kind {
        case .action("log-in"):
            try await logIn(name: input.form["name"], password: input.form["password"])
        case .action("register"):
            try await routes.openRegister(name: input.form["name"])
        default: break
        }
    }

    func logIn(name: String, password: String) async throws {
        let user: User
        do {
            user = try await users.logIn(name: name, password: password)
        } catch UserServiceError.wrongPassword {
            await events.handle(.refused(name: name))
            throw UserServiceError.wrongPassword
        }
        await events.handle(.succeeded(name: user.name))
        try await routes.openHome(for: user)
    }
}
