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

/// Keeps a text for each thing that a model does, in their order.
final class Kept: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }

    func keep(_ text: String) {
        kept.withLock { $0.append(text) }
    }
}

/// Users that can be registered, logged in and edited; nobody's password is kept anywhere else.
final class MockUsers: UserService {
    private let kept: Mutex<[User]>
    private let passwords = Mutex<[String: String]>([:])

    init(_ users: [User] = []) {
        kept = Mutex(users)
    }

    func users() async throws -> [User] { kept.withLock { $0 } }

    func register(name: String, password: String) async throws -> User {
        passwords.withLock { $0[name] = password }
        return kept.withLock { users in
            users.append(User(id: users.count + 1, name: name))
            return users[users.count - 1]
        }
    }

    func logIn(name: String, password: String) async throws -> User {
        guard passwords.withLock({ $0[name] == password }),
            let user = try await user(named: name)
        else { throw UserServiceError.wrongPassword }
        return user
    }

    func update(_ user: User) async throws -> User {
        kept.withLock { users in
            for index in users.indices where users[index].id == user.id { users[index] = user }
        }
        return user
    }
}

/// A router that leads nowhere, for factories in tests.
struct NoNavigation: Navigation {
    func open(
        _ link: Link, as place: ScreenPlace, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws {}

    func openAndWait(
        _ link: Link, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws -> ScreenEnd { .cancelled }

    func close(_ screen: ScreenID, _ end: ScreenEnd) async {}
    func closeToRoot() async {}
    func refresh(_ screen: ScreenID) async {}
}

extension Screen {
    /// The titles of the actions.
    var actionTitles: [String] { actions.map(\.title) }
    /// The paragraphs.
    var texts: [String] {
        elements.compactMap {
            switch $0 {
            case .text(let text), .problem(let text): text
            default: nil
            }
        }
    }
    /// The fields.
    var fields: [Field] {
        elements.compactMap { if case .field(let field) = $0 { field } else { nil } }
    }
    /// The rows of all lists.
    var rows: [Row] {
        elements.flatMap { element -> [Row] in
            if case .list(let list) = element { list.rows } else { [] }
        }
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
