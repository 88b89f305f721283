// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// Knows the users that a test names.
struct MockUsers: UserService {
    let names: [String]

    init(_ names: String...) {
        self.names = names
    }

    func users() async throws -> [User] {
        names.enumerated().map { User(id: $0.offset + 1, name: $0.element) }
    }
}

/// Keeps events for the test.
final class KeptEvents: EventHandler {
    private let kept = Mutex<[Event]>([])
    var names: [String] { kept.withLock { $0.map(\.name) } }

    func handle(_ event: Event) async throws {
        kept.withLock { $0.append(event) }
    }
}

/// Fails when somebody asks for the users.
struct UnavailableUsers: UserService {
    struct Unavailable: Error {}

    func users() async throws -> [User] { throw Unavailable() }
}

/// Prints a line.
struct Saying: Feature {
    let line: String

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print(line)
        return ExitCode(7)
    }
}

/// Counts from 1 on.
final class Counter: Sendable {
    private let number = Mutex(0)

    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
