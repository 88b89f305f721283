// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Implements what has no default, and nothing else.
struct People: UserService {
    func users() async throws -> [User] {
        [User(id: 1, name: "Ada"), User(id: 2, name: "Bea")]
    }
}

/// Implements every requirement.
struct QuickPeople: UserService {
    func users() async throws -> [User] { [] }

    func user(named name: String) async throws -> User? { User(id: 7, name: "quick " + name) }
}

struct PickyEvents: EventHandler {
    func handle(_ event: Event) async throws {
        guard event.attributes["polite"] == "yes" else { throw Refusal(name: event.name) }
    }
}

struct Refusal: Error, CustomStringConvertible {
    let name: String
    var description: String { "refused \(name)" }
}

enum KeepsPeopleModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) { _ in People() }
        registrar.register((any UserService).self, name: "quick") { _ in QuickPeople() }
        registrar.register((any EventHandler).self) { _ in PickyEvents() }
    }
}
