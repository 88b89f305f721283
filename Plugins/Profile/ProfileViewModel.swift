// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import ProfileInterface
import Utility

/// Shows a user's account, and saves what the user changes.
///
/// The ways out of the screen are a protocol of this feature's own, which the composition implements.
final class ProfileViewModel: ProfileViewModelInterface {
    private let user: User.ID?
    private let users: any UserService
    private let routing: any ProfileRouting

    init(user: User.ID?, users: any UserService, routing: any ProfileRouting) {
        self.user = user
        self.users = users
        self.routing = routing
    }

    func screen() async -> Screen {
        do {
            guard let user, let account = try await users.user(user) else {
                return Screen(
                    "Profile", [.text("Nobody has logged in.")],
                    actions: [Screen.Action("log-in", "Log in")])
            }
            return Screen(
                "Profile",
                [
                    .field(Screen.Field("name", "Name", value: account.name)),
                    .field(Screen.Field("email", "Address", value: account.email)),
                    .choice(colors(of: account)),
                ],
                actions: [Screen.Action("save", "Save")])
        } catch {
            return Screen("Profile", [.problem("\(error)")])
        }
    }

    func handle(_ input: ScreenInput) async throws {
        switch input.kind {
        case .action("save"):
            try await save(
                name: input.form["name"], email: input.form["email"], color: input.form["color"])
        case .action("log-in"): try await routing.nobodyLoggedIn()
        default: break
        }
    }

    func save(name: String, email: String, color: String) async throws {
        guard let user, var account = try await users.user(user) else {
            return try await routing.nobodyLoggedIn()
        }
        guard color.isEmpty || Color(hex: color) != nil else { throw ProfileError.noColor(color) }
        account.name = name
        account.email = email
        account.color = Color(hex: color)?.hex ?? ""
        try await routing.saved(try await users.update(account))
    }

    /// The named colours, and the account's own one if it is none of them.
    private func colors(of account: User) -> Screen.Choice {
        var options = [Screen.Option("", "none")]
        options += Color.named.map { Screen.Option($0.color.hex, $0.name) }
        if !options.contains(where: { $0.id == account.color }) {
            options.append(Screen.Option(account.color, account.color))
        }
        return Screen.Choice("color", "Colour", options, selected: account.color)
    }
}

/// An account that cannot be saved.
enum ProfileError: Error, CustomStringConvertible {
    case noColor(String)

    var description: String {
        switch self {
        case .noColor(let text): "'\(text)' is no colour. Write it as in '#3366cc'."
        }
    }
}
