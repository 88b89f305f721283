// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Utility

/// Welcomes the user, and leads to the other screens.
final class HomeViewModel: HomeViewModelInterface {
    /// The ways out of this screen, and no others.
    typealias Routes = LoginRoute & ProfileRoute & UsersRoute & PickUserRoute & PopUpRoute

    let user: User.ID?
    private let users: any UserService
    private let routes: any Routes

    init(user: User.ID?, users: any UserService, routes: any Routes) {
        self.user = user
        self.users = users
        self.routes = routes
    }

    func screen() async -> Screen {
        do {
            guard let user, let found = try await users.user(user) else { return nobody }
            return home(of: found)
        } catch {
            return Screen("Home", [.problem("\(error)")], actions: [logOut])
        }
    }

    func handle(_ input: ScreenInput) async throws {
        switch input.kind {
        case .action("profile"):
            if let user { try await routes.openProfile(of: user) }
        case .action("users"): try await routes.openUsers()
        case .action("greet"): try await greet()
        case .action("log-out"): try await routes.openLogin()
        default: break
        }
    }

    /// Lets the person choose a user, and greets that one.
    private func greet() async throws {
        do {
            let chosen = try await routes.pickUser()
            try await routes.openPopUp(message: "Hello, \(chosen.name)!")
        } catch NoResult.cancelled {
            // The person went back, and sees this screen again.
        }
    }

    private func home(of user: User) -> Screen {
        var elements: [Screen.Element] = [.text("Welcome home, \(user.name)!")]
        if !user.email.isEmpty { elements.append(.text("Your address is \(user.email).")) }
        if let color = Color(hex: user.color) {
            elements.append(
                .text("Your colour is \(color.hex), which is nearly \(color.nearestName)."))
        }
        return Screen(
            "Home", elements,
            actions: [
                Screen.Action("profile", "Edit profile"), Screen.Action("users", "Users"),
                Screen.Action("greet", "Greet someone"), logOut,
            ])
    }

    private var nobody: Screen {
        Screen(
            "Home", [.text("Nobody has logged in.")],
            actions: [Screen.Action("log-out", "Log in")])
    }

    private var logOut: Screen.Action { Screen.Action("log-out", "Log out") }
}
