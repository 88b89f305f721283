// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Alice and Bob.
struct UsersInMemory: UserService {
    func users() async throws -> [User] {
        [User(id: 1, name: "Alice"), User(id: 2, name: "Bob")]
    }
}
