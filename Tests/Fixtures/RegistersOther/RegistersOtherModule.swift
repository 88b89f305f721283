// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Declares one service and registers another, and a name that it does not declare.
enum RegistersOtherModule: Module {
    struct Users: UserService {
        func users() async throws -> [User] { [] }
    }

    struct Events: EventHandler {
        func handle(_ event: Event) async throws {}
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, name: "backup") { _ in Users() }
        registrar.register((any EventHandler).self) { _ in Events() }
    }
}
