// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers a protocol that has the right name and is its own, not the interface's.
enum RegistersForeignModule: Module {
    struct Users: UserService {}

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self) { _ in Users() }
    }
}

/// Hides the interface's protocol of that name.
protocol UserService: Sendable {}
