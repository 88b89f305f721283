// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// Asks for a name and, twice, for a password, and adds the user.
final class RegisterViewModel: RegisterViewModelInterface {
    /// The ways out of this screen, and no others.
    typealias Routes = HomeRoute & PopUpRoute

    private let name: String
    private let users: any UserService
    private let routes: any Routes

    init(name: String, users: any UserService, routes: any Routes) {
        self.name = name
        self.users = users
        self.routes = routes
    }

    func screen() async -> Screen {
        Screen(
            "Register",
            [
                .field(Screen.Field("name", "Name", value: name)),
                .field(Screen.Field("password", "Password", isSecret: true)),
                .field(Screen.Field("repeated", "Password again", isSecret: true)),
            ],
            actions: [Screen.Action("register", "Register")])
    }

    func handle(_ input: ScreenInput) async throws {
        guard input.kind == .action("register") else { return }
        try await register(
            name: input.form["name"], password: input.form["password"],
            repeated: input.form["repeated"])
    }

    func register(name: String, password: String, repeated: String) async throws {
        guard password == repeated else {
            try await routes.openPopUp(message: "The two passwords differ. Type them again.")
            return
        }
        let user = try await users.register(name: name, password: password)
        try await routes.openHome(for: user)
    }
}
