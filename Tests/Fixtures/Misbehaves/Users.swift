// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// Nobody; and misbehaves when it goes.
final class Users: UserService {
    let end: String?
    private let itself = Mutex<Users?>(nil)

    init(end: String?, keepsItself: Bool) {
        self.end = end
        if keepsItself { itself.withLock { $0 = self } }
    }

    deinit {
        if let end { try? Misdeed(end).commit() }
    }

    func users() async throws -> [User] { [] }
}
