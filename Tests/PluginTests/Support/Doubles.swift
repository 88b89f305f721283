// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// Knows two users: Grace and Edsger.
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

/// Keeps the routes that a feature opens, and their arguments.
final class KeptRoutes: Routing {
    private let routes = Mutex<[String]>([])
    private let kept = Mutex<[[String]]>([])
    var all: [String] { routes.withLock { $0 } }
    var arguments: [[String]] { kept.withLock { $0 } }

    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        routes.withLock { $0.append(String(describing: route)) }
        kept.withLock { $0.append(launch.arguments) }
        return ExitCode(42)
    }
}

/// A console that reads prepared input and keeps the output for the test.
final class ScriptedConsole: Console {
    private struct State {
        var answers: [String]
        var output = ""
        var warnings: [String] = []
    }

    let isInteractive: Bool
    private let state: Mutex<State>

    /// - Parameter answers: The lines that a person types. With `nil`, the console is not interactive.
    init(answers: [String]? = nil) {
        isInteractive = answers != nil
        state = Mutex(State(answers: answers ?? []))
    }

    var output: String { state.withLock { $0.output } }
    var warnings: [String] { state.withLock { $0.warnings } }

    func readLine() -> String? {
        state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
    }

    func write(_ text: String) {
        state.withLock { $0.output += text }
    }

    func warn(_ text: String) {
        state.withLock { $0.warnings.append(text) }
    }
}
