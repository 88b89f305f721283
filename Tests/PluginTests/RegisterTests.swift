// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Testing
import EavesTestSupport

@testable import Register

@Suite("Registering", .onOwnThreads)
struct RegisterTests {
    private struct Routes: RegisterViewModel.Routes {
        let kept: Kept

        func openHome(for user: User) async throws { kept.keep("home of \(user.name)") }
        func openPopUp(message: String) async throws { kept.keep(message) }
    }

    private let kept = Kept()
    private let users = MockUsers()

    private func register(_ form: [String: String]) async throws {
        try await RegisterViewModel(name: "", users: users, routes: Routes(kept: kept))
            .handle(ScreenInput(.action("register"), Form(form)))
    }

    @Test("adds the user, and opens the home screen")
    func succeeds() async throws {
        try await register(["name": "Ada", "password": "a", "repeated": "a"])
        #expect(kept.all == ["home of Ada"])
        #expect(try await users.logIn(name: "Ada", password: "a").name == "Ada")
    }

    @Test("two different passwords add nobody")
    func differ() async throws {
        try await register(["name": "Ada", "password": "a", "repeated": "b"])
        #expect(kept.all == ["The two passwords differ. Type them again."])
        #expect(try await users.users().isEmpty)
    }

    @Test("hides both passwords")
    func screen() async {
        let screen = await RegisterViewModel(
            name: "Ada", users: users, routes: Routes(kept: kept)
        ).screen()
        #expect(screen.fields.map(\.isSecret) == [false, true, true])
        #expect(screen.fields.first?.value == "Ada")
    }
}
