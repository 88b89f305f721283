// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// What a list of users is opened for: the argument of its registration.
struct UserChoice: Sendable {
    let routes: any UsersViewModel.Routes
    /// Gets the user whom the person chooses; `nil` for a list that only shows.
    let picked: (@Sendable (User) async -> Void)?
}

/// Lists all users. The service is injected when the registry creates the list.
actor UsersViewModel: UsersViewModelInterface {
    /// The ways out of this screen, and no others.
    typealias Routes = PopUpRoute

    @Injected private var service: any UserService
    private let choice: UserChoice

    init(choice: UserChoice) {
        self.choice = choice
    }

    /// Creates a list with a service of the test's own.
    init(choice: UserChoice, service: any UserService) {
        self.choice = choice
        _service = .given(service)
    }

    func users() async throws -> [User] {
        try await service.users()
    }

    func screen() async -> Screen {
        do {
            let rows = try await users().map { user in
                Screen.Row(
                    String(user.id), user.name, detail: user.email,
                    color: user.color.isEmpty ? nil : user.color)
            }
            return Screen(
                choice.picked == nil ? "Users" : "Choose a user",
                [.list(Screen.List("users", rows, placeholder: "There are no users yet."))])
        } catch {
            return Screen("Users", [.problem("\(error)")])
        }
    }

    func handle(_ input: ScreenInput) async throws {
        guard case .row(let id, _) = input.kind else { return }
        guard let user = try await users().first(where: { String($0.id) == id }) else { return }
        if let picked = choice.picked {
            await picked(user)
        } else {
            let address = user.email.isEmpty ? "has no address" : "has the address \(user.email)"
            try await choice.routes.openPopUp(message: "\(user.name) \(address).")
        }
    }
}
