// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Charlie, who came later.
struct SecondUsers: UserService {
    func users() async throws -> [User] {
        [User(id: 2, name: "Charlie")]
    }
}
