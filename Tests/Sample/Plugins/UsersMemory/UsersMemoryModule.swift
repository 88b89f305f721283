// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides users that are kept in memory.
enum UsersMemoryModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in UsersInMemory() }
    }
}

/// Knows two users: Alice and Bob.
struct UsersInMemory: UserService {
    func users() async throws -> [User] {
        [User(id: 1, name: "Alice"), User(id: 2, name: "Bob")]
    }
}
