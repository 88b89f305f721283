// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// The other half of a circle that goes through two modules.
enum HalfEventsModule: Module {
    struct Told: Error, CustomStringConvertible {
        let description: String
    }

    final class Events: EventHandler {
        let users = Mutex<(any UserService)?>(nil)

        func handle(_ event: Event) async throws {
            let users = users.withLock { $0 }
            let names = try await users?.users().map(\.name) ?? []
            throw Told(description: "the events have users: \(names)")
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.register(
            (any EventHandler).self, scope: .shared, needs: [.later((any UserService).self)]
        ) { _ in
            Events()
        } completed: { resolver, made in
            let users = try resolver.resolve((any UserService).self)
            (made as? Events)?.users.withLock { $0 = users }
        }
    }
}
