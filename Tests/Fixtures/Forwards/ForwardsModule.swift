// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// One shared object that answers two services; the users are decorated.
enum ForwardsModule: Module {
    final class Both: UserService, EventHandler {
        private let events = Mutex<[String]>([])

        func users() async throws -> [User] {
            events.withLock { $0 }.enumerated().map { User(id: $0.offset + 1, name: $0.element) }
        }

        func handle(_ event: Event) async throws {
            events.withLock { $0.append(event.name) }
        }
    }

    struct Loud: UserService, EventHandler {
        let both: Both

        func users() async throws -> [User] {
            try await both.users().map { User(id: $0.id, name: $0.name.uppercased()) }
        }

        func handle(_ event: Event) async throws {
            try await both.handle(event)
        }
    }

    struct Quiet: Error, CustomStringConvertible {
        let description = "these users handle no events"
    }

    struct Telling: Feature {
        let events: any EventHandler
        let resolver: any Resolver

        func launch(_ launch: Launch) async throws -> ExitCode {
            try await events.handle(Event("tell"))
            try await events.handle(Event("again"))
            for users in try resolver.resolveAll((any UserService).self) {
                let names = try await users.users().map(\.name)
                try launch.console.print(names.joined(separator: " "))
            }
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.decorate((any UserService).self) { _, users in
            guard let both = users as? Both else { throw Quiet() }
            return Loud(both: both)
        }
        registrar.register((any UserService).self, scope: .shared) { _ in Both() }
        registrar.forward((any EventHandler).self, to: (any UserService).self) { users in
            guard let events = users as? any EventHandler else { throw Quiet() }
            return events
        }
        registrar.registerFeature("tell") { resolver in
            Telling(events: try resolver.resolve((any EventHandler).self), resolver: resolver)
        }
    }
}
