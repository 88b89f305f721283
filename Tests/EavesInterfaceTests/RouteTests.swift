// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Testing

@Suite("routes and services")
struct RouteTests {
    private struct Screen: Feature {
        let title: String

        func launch(_ launch: Launch) async throws -> ExitCode { .success }
    }

    private struct Screens: HomeFactory, LoginFactory {
        func makeHome(for user: User) throws -> any Feature { Screen(title: user.name) }
        func makeLogin(name: String?) throws -> any Feature { Screen(title: name ?? "?") }
    }

    private struct Users: UserService {
        func users() async throws -> [User] {
            [User(id: 1, name: "Ada"), User(id: 2, name: "Bob"), User(id: 3, name: "Bob")]
        }
    }

    @Test("a route gives its data to the factory")
    func routes() throws {
        let home = try HomeRoute(user: User(id: 7, name: "Grace")).feature(from: Screens())
        #expect((home as? Screen)?.title == "Grace")
        let login = try LoginRoute(name: "Edsger").feature(from: Screens())
        #expect((login as? Screen)?.title == "Edsger")
        #expect((try LoginRoute().feature(from: Screens()) as? Screen)?.title == "?")
    }

    @Test("a user is found by the exact name, and the first one counts")
    func users() async throws {
        #expect(try await Users().user(named: "Bob") == User(id: 2, name: "Bob"))
        #expect(try await Users().user(named: "bob") == nil)
    }

    @Test("an event without attributes has none")
    func events() {
        #expect(Event("a") == Event("a", attributes: [:]))
        #expect(Event("a").attributes.isEmpty)
    }
}
