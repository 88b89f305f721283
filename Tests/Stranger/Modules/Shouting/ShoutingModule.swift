// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import GreetingAPI

/// Provides a greeter that shouts.
enum ShoutingModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any Greeter).self, scope: .shared) { _ in Shouter() }
    }
}

struct Shouter: Greeter {
    func greeting(for guest: Guest) -> String { "HELLO, \(guest.name.uppercased())" }
}
