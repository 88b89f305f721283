// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the home screen.
enum HomeModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any HomeFactory).self) { _ in HomeScreens() }
    }
}
