// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import GreetingAPI

/// Provides the greeter, which asks the program's clock.
enum GreetingsModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any Greeter).self, scope: .shared) { resolver in
            DayGreeter(clock: try resolver.resolve((any DayClock).self))
        }
    }
}

struct DayGreeter: Greeter {
    let clock: any DayClock

    func greeting(for guest: Guest) -> String {
        clock.hour < 12 ? "Good morning, \(guest.name)" : "Good day, \(guest.name)"
    }
}
