// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import ProfileInterface
import Testing
import EavesTestSupport

@testable import Profile

@Suite("The profile", .onOwnThreads)
struct ProfileTests {
    private struct Routing: ProfileRouting {
        let kept: Kept

        func saved(_ user: User) async throws { kept.keep("saved \(user.name)") }
        func nobodyLoggedIn() async throws { kept.keep("login") }
    }

    private let kept = Kept()
    private let users = MockUsers([User(id: 7, name: "Grace", email: "", color: "#123456")])

    private func model(of user: User.ID? = 7) -> ProfileViewModel {
        ProfileViewModel(user: user, users: users, routing: Routing(kept: kept))
    }

    @Test("saves name, address and colour")
    func saves() async throws {
        let form = ["name": "Grace H.", "email": "g@navy.mil", "color": "36c"]
        try await model().handle(ScreenInput(.action("save"), Form(form)))
        #expect(kept.all == ["saved Grace H."])
        let saved = User(id: 7, name: "Grace H.", email: "g@navy.mil", color: "#3366cc")
        #expect(try await users.users() == [saved])
    }

    @Test("a colour that is none changes nothing")
    func noColor() async throws {
        let error = await #expect(throws: ProfileError.self) {
            try await model().save(name: "Grace", email: "", color: "blue-ish")
        }
        #expect(error?.description == "'blue-ish' is no colour. Write it as in '#3366cc'.")
        #expect(kept.all.isEmpty)
    }

    @Test("offers the account's own colour besides the named ones")
    func colors() async throws {
        let screen = await model().screen()
        guard case .choice(let choice) = screen.elements.last else {
            Issue.record("expected a choice, found \(screen)")
            return
        }
        #expect(choice.selected == "#123456")
        #expect(choice.options.last?.id == "#123456")
        #expect(choice.options.first?.title == "none")
    }

    @Test("leads to the login if nobody has logged in")
    func nobody() async throws {
        #expect(await model(of: nil).screen().texts == ["Nobody has logged in."])
        try await model(of: nil).handle(ScreenInput(.action("log-in")))
        #expect(kept.all == ["login"])
    }
}
