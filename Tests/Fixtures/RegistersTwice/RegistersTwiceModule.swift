// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers two factories for one and the same service.
enum RegistersTwiceModule: Module {
    struct Users: UserService {
        func users() async throws -> [User] { [] }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self) { _ in Users() }
        registrar.register((any UserService).self) { _ in Users() }
    }
}
