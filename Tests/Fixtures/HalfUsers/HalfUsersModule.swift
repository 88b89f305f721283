// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// One half of a circle that goes through two modules: each is given the other when it is completed.
enum HalfUsersModule: Module {
    final class Users: UserService {
        let events = Mutex<(any EventHandler)?>(nil)

        func users() async throws -> [User] {
            let events = events.withLock { $0 }
            return events == nil ? [] : [User(id: 1, name: "Half")]
        }
    }

    struct Whole: Feature {
        let users: any UserService
        let events: any EventHandler

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("the users have events: \(try await users.users().count == 1)")
            do {
                try await events.handle(Event("whole"))
            } catch {
                try launch.console.print("\(error)")
            }
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in
            Users()
        } completed: { resolver, made in
            let events = try resolver.resolve((any EventHandler).self)
            (made as? Users)?.events.withLock { $0 = events }
        }
        registrar.registerFeature("whole") { resolver in
            Whole(
                users: try resolver.resolve((any UserService).self),
                events: try resolver.resolve((any EventHandler).self))
        }
    }
}
