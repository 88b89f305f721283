// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Leaves out two of the three things that `module.json` declares.
enum RegistersLessModule: Module {
    struct Users: UserService {
        func users() async throws -> [User] { [] }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self) { _ in Users() }
    }
}
