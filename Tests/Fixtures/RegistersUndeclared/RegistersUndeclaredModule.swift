// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers a service that `module.json` does not declare.
enum RegistersUndeclaredModule: Module {
    struct Users: UserService {
        func users() async throws -> [User] { [] }
    }

    struct Events: EventHandler {
        func handle(_ event: Event) async throws {}
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self) { _ in Users() }
        registrar.register((any EventHandler).self) { _ in Events() }
    }
}
