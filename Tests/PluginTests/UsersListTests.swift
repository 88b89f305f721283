// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Testing
import EavesTestSupport

@testable import Users

@Suite("The list of users", .onOwnThreads)
struct UsersListTests {
    private struct Routes: UsersViewModel.Routes {
        let kept: Kept

        func openPopUp(message: String) async throws { kept.keep(message) }
    }

    private let kept = Kept()
    private let users = MockUsers([
        User(id: 1, name: "Ada"),
        User(id: 2, name: "Grace", email: "g@navy.mil", color: "#3366cc"),
    ])

    private func model(picked: (@Sendable (User) async -> Void)? = nil) -> UsersViewModel {
        UsersViewModel(
            choice: UserChoice(routes: Routes(kept: kept), picked: picked), service: users)
    }

    @Test("has a row for each user")
    func rows() async {
        let screen = await model().screen()
        #expect(screen.rows.map(\.title) == ["Ada", "Grace"])
        #expect(screen.rows.map(\.color) == [nil, "#3366cc"])
    }

    @Test("tells of a user whose row is opened")
    func opens() async throws {
        try await model().handle(ScreenInput(.row("2", list: "users")))
        #expect(kept.all == ["Grace has the address g@navy.mil."])
    }

    @Test("gives the chosen user to the caller who waits")
    func picks() async throws {
        let picking = model { [kept] user in kept.keep("picked \(user.name)") }
        #expect(await picking.screen().title == "Choose a user")
        try await picking.handle(ScreenInput(.row("1", list: "users")))
        #expect(kept.all == ["picked Ada"])
    }

    @Test("two lists at once have two sources, by their names, and say which")
    func sources() async throws {
        let screens = try screens()
        let names = ["v1", "v2", nil]
        let models = try names.map {
            try screens.makeUsers(from: $0, router: router, picked: nil)
        }
        var seen: [[String]] = []
        for model in models {
            let screen = await model.screen()
            seen.append([screen.title] + screen.rows.map(\.title))
        }
        #expect(
            seen == [
                ["Users from v1", "Ada", "Grace"], ["Users from v2", "Charlie"],
                ["Users", "Ada", "Grace"],
            ])
        // Neither has become the other one's. The container that creates them injects their service.
        #expect(try await models[0].users().count == 2)
        #expect(try await models[1].users().count == 1)
    }

    @Test("a source that nothing provides is an error in words for the person")
    func unknownSource() throws {
        let screens = try screens()
        let error = #expect(throws: ResolutionError.self) {
            try screens.makeUsers(from: "v3", router: router, picked: nil)
        }
        #expect(error?.description == "no source of users is called 'v3'")
    }

    /// The factory in a container of the test's own, with one unnamed source, `v1` and `v2`.
    private func screens() throws -> UsersScreens {
        let container = try TestContainer()
        container.replace((any UserService).self) { [users] _ in users }
        container.replace((any UserService).self, name: "v1") { [users] _ in users }
        container.replace((any UserService).self, name: "v2") { _ in
            MockUsers([User(id: 2, name: "Charlie")])
        }
        container.replace((any UsersViewModelInterface).self) { (_, choice: UserChoice) in
            UsersViewModel(choice: choice)
        }
        return UsersScreens(resolver: container)
    }

    private var router: ScreenRouter {
        get throws {
            ScreenRouter(
                container: try TestContainer(), navigation: NoNavigation(), screen: ScreenID(1))
        }
    }
}
