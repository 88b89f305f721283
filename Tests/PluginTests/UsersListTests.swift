// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
    import CommonInterface
    import EavesInterface
    import EavesTesting
    import Testing

    @testable import Users

    @Suite("The list of users")
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

        @Test("its service is injected by the container that creates it")
        func injected() async throws {
            let container = try TestContainer()
            container.replace((any UserService).self) { [users] _ in users }
            container.replace((any UsersViewModelInterface).self) { (_, choice: UserChoice) in
                UsersViewModel(choice: choice)
            }
            let model = try UsersScreens(resolver: container).makeUsers(
                router: ScreenRouter(
                    container: container, navigation: NoNavigation(), screen: ScreenID(1)),
                picked: nil)
            #expect(try await model.users().map(\.name) == ["Ada", "Grace"])
        }
    }
#endif
