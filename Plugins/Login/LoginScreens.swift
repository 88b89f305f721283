// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Makes login screens.
struct LoginScreens: LoginFactory {
    private let users: any UserService
    private let events: any EventHandler
    private let routing: any Routing

    init(resolver: any Resolver) throws {
        users = try resolver.resolve((any UserService).self)
        events = try resolver.resolve((any EventHandler).self)
        routing = try resolver.resolve((any Routing).self)
    }

    func makeLogin(name: String?) -> any Feature {
        LoginScreen(name: name, users: users, events: events, routing: routing)
    }
}
