// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Provides the second generation of users.
enum UsersV2Module: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in SecondUsers() }
    }
}
