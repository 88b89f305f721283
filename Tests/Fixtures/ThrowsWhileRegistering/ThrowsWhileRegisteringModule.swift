// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers everything it declares, and then throws: nothing of it may stay.
enum ThrowsWhileRegisteringModule: Module {
    struct Failure: Error, CustomStringConvertible {
        let description = "the database is locked"
    }

    struct Nobody: UserService {
        func users() async throws -> [User] { [User(id: 666, name: "Nobody")] }
    }

    static func register(in registrar: any Registrar) throws {
        registrar.register((any UserService).self) { _ in Nobody() }
        throw Failure()
    }
}
