// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides a service in each scope that keeps its instance. The setting `leak` makes them keep themselves.
enum KeptServicesModule: Module {
    final class Users: UserService, @unchecked Sendable {
        private var itself: Users?

        init(leaks: Bool) { if leaks { itself = self } }

        func users() async throws -> [User] { [] }
    }

    actor Events: EventHandler {
        func handle(_ event: Event) async throws {}
    }

    static func register(in registrar: any Registrar) throws {
        let leaks = try registrar.settings.string("leak") != nil
        registrar.register((any UserService).self, scope: .shared) { _ in Users(leaks: leaks) }
        registrar.register((any UserService).self, name: "weak", scope: .weak) { _ in
            Users(leaks: false)
        }
        registrar.register((any EventHandler).self, scope: .named("session")) { _ in Events() }
    }
}
