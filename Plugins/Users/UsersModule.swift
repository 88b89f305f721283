// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Shows the users.
enum UsersModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("users") { resolver in
            UsersFeature(users: try resolver.resolve((any UserService).self))
        }
    }
}
