// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Testing
import EavesTestSupport

@testable import Home

@Suite("The home screen", .onOwnThreads)
struct HomeTests {
    private struct Routes: HomeViewModel.Routes {
        let kept: Kept
        /// The outcome of the choice of a user.
        let picked: Result<User, NoResult>

        func openLogin() async throws { kept.keep("login") }
        func openProfile(of user: User.ID) async throws { kept.keep("profile of \(user)") }
        func openUsers() async throws { kept.keep("users") }
        func pickUser() async throws -> User { try picked.get() }
        func openPopUp(message: String) async throws { kept.keep(message) }
    }

    private let kept = Kept()
    private let grace = User(id: 7, name: "Grace", email: "grace@navy.mil", color: "#3366cc")

    private func model(
        of user: User.ID? = 7, picked: Result<User, NoResult> = .failure(.cancelled)
    ) -> HomeViewModel {
        HomeViewModel(
            user: user, users: MockUsers([grace]), routes: Routes(kept: kept, picked: picked))
    }

    @Test("welcomes the user, with address and colour")
    func welcome() async {
        let screen = await model().screen()
        #expect(
            screen.texts == [
                "Welcome home, Grace!", "Your address is grace@navy.mil.",
                "Your colour is #3366cc, which is nearly blue.",
            ])
        #expect(screen.actionTitles == ["Edit profile", "Users", "Greet someone", "Log out"])
    }

    @Test("leads to the other screens")
    func routes() async throws {
        for action in ["profile", "users", "log-out"] {
            try await model().handle(ScreenInput(.action(action)))
        }
        #expect(kept.all == ["profile of 7", "users", "login"])
    }

    @Test("greets the user who was chosen, and nobody if the person went back")
    func greets() async throws {
        try await model(picked: .success(grace)).handle(ScreenInput(.action("greet")))
        try await model().handle(ScreenInput(.action("greet")))
        #expect(kept.all == ["Hello, Grace!"])
    }

    @Test("says that nobody has logged in, also if the user is gone", arguments: [nil, 8])
    func nobody(_ user: User.ID?) async throws {
        let screen = await model(of: user).screen()
        #expect(screen.texts == ["Nobody has logged in."])
        #expect(screen.actionTitles == ["Log in"])
    }
}
