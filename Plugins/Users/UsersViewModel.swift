// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// The source and the purpose of a list of users: the argument of its registration.
struct UserChoice: Sendable {
    /// The name of the service that is asked; `nil` for the unnamed one.
    var source: String?
    let routes: any UsersViewModel.Routes
    /// A function that gets the user whom the person chooses; `nil` for a list that only shows.
    let picked: (@Sendable (User) async -> Void)?
}

/// Lists all users. The service is injected when the registry creates the list, by the name that the list is
/// opened for. So two lists can have two sources at once.
actor UsersViewModel: UsersViewModelInterface {
    /// The ways out of this screen, and no others.
    typealias Routes = PopUpRoute

    /// As `@Injected(name:)`, with a name that is only known when the list is opened.
    private let service: Injected<any UserService>
    private let choice: UserChoice

    init(choice: UserChoice) {
        self.choice = choice
        service = Injected(name: choice.source)
    }

    /// Creates a list with a service of the test's own.
    init(choice: UserChoice, service: any UserService) {
        self.choice = choice
        self.service = .given(service)
    }

    func users() async throws -> [User] {
        try await service.wrappedValue.users()
    }

    private var title: String {
        if choice.picked != nil { return "Choose a user" }
        return choice.source.map { "Users from \($0)" } ?? "Users"
    }

    func screen() async -> Screen {
        do {
            let rows = try await users().map { user in
                Screen.Row(
                    String(user.id), user.name, detail: user.email,
                    color: user.color.isEmpty ? nil : user.color)
            }
            return Screen(
                title, [.list(Screen.List("users", rows, placeholder: "There are no users yet."))])
        } catch {
            return Screen(title, [.problem("\(error)")])
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
