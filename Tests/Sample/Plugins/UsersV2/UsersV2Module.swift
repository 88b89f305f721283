// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the users that replace those of `users-memory` after a swap.
enum UsersV2Module: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in SecondUsers() }
    }
}

/// Knows one user: Charlie.
struct SecondUsers: UserService {
    func users() async throws -> [User] {
        [User(id: 2, name: "Charlie")]
    }
}
