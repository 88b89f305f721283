// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Says that a shared service keeps what others get anew, and that its parts need each other.
enum CapturesAnewModule: Module {
    struct Users: UserService {
        func users() async throws -> [User] { [] }
    }

    struct Events: EventHandler {
        func handle(_ event: Event) async throws {}
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any EventHandler).self, scope: .graph, needs: []) { _ in Events() }
        registrar.register(
            (any UserService).self, scope: .shared,
            needs: [
                .service((any EventHandler).self), .service((any LoginFactory).self, name: "x"),
            ]
        ) { _ in Users() }
    }
}
