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

    private struct Screens: Sendable {
        func make(title: String) -> any Feature { Screen(title: title) }
    }

    private struct ScreenRoute: Route {
        let title: String

        func feature(from factory: Screens) -> any Feature { factory.make(title: title) }
    }

    private struct Users: UserService {
        func users() async throws -> [User] {
            [User(id: 1, name: "Ada"), User(id: 2, name: "Bob"), User(id: 3, name: "Bob")]
        }
    }

    @Test("a route gives its data to the factory")
    func routes() throws {
        let feature = ScreenRoute(title: "Grace").feature(from: Screens())
        #expect((feature as? Screen)?.title == "Grace")
    }

    @Test("a user is found by the name in any case, and the first one counts")
    func users() async throws {
        #expect(try await Users().user(named: "Bob") == User(id: 2, name: "Bob"))
        #expect(try await Users().user(named: "bob") == User(id: 2, name: "Bob"))
        #expect(try await Users().user(named: "Rob") == nil)
    }

    @Test("an event without attributes has none")
    func events() {
        #expect(Event("a") == Event("a", attributes: [:]))
        #expect(Event("a").attributes.isEmpty)
    }
}
