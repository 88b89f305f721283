// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the login screen, as a feature and as the destination of a route.
enum LoginModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any LoginFactory).self) { resolver in
            try LoginScreens(resolver: resolver)
        }
        registrar.registerFeature("login") { resolver in
            try LoginScreens(resolver: resolver).makeLogin(name: nil)
        }
    }
}
