// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Provides users from memory.
enum UsersMemoryModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in UsersInMemory() }
    }
}
