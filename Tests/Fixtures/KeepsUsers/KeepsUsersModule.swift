// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Has two shared services: one keeps the users, and the other one asks for them when it needs them.
enum KeepsUsersModule: Module {
    struct Keeping: EventHandler {
        let users: any UserService

        func handle(_ event: Event) async throws {}
    }

    struct Asking: EventHandler {
        let users: Provider<any UserService>

        func handle(_ event: Event) async throws {}
    }

    static func register(in registrar: any Registrar) {
        registrar.register(
            (any EventHandler).self, scope: .shared, injecting: Keeping.init(users:))
        registrar.register(
            (any EventHandler).self, name: "later", scope: .shared, injecting: Asking.init(users:))
    }
}
