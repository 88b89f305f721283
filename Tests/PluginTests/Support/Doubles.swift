// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// Two users.
struct FixedUsers: UserService {
    func users() async throws -> [User] {
        [User(id: 7, name: "Grace"), User(id: 9, name: "Edsger")]
    }
}

/// Keeps events for the test.
final class KeptEvents: EventHandler {
    private let kept = Mutex<[Event]>([])
    var all: [Event] { kept.withLock { $0 } }

    func handle(_ event: Event) async throws {
        kept.withLock { $0.append(event) }
    }
}

/// Notes where a feature goes.
final class NotedRoutes: Routing {
    private let noted = Mutex<[String]>([])
    var all: [String] { noted.withLock { $0 } }

    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        noted.withLock { $0.append(String(describing: route)) }
        return ExitCode(42)
    }
}
