// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Synchronization
import Testing
import EavesTestSupport

@testable import Users

@Suite("users --watch", .onOwnThreads)
struct UsersWatchTests {
    /// Other users at each look. At the last look it cancels the task that asks.
    private final class ChangingUsers: UserService {
        private let looks: Mutex<[Result<[User], UserServiceError>]>

        init(_ looks: [Result<[User], UserServiceError>]) { self.looks = Mutex(looks) }

        func users() async throws -> [User] {
            let look = looks.withLock { looks in
                if looks.count == 1 { withUnsafeCurrentTask { $0?.cancel() } }
                return looks.removeFirst()
            }
            return try look.get()
        }
    }

    private func watch(
        _ looks: [Result<[User], UserServiceError>], _ console: ScriptedConsole
    ) async throws -> ExitCode {
        let container = try TestContainer()
        let users = ChangingUsers(looks)
        container.replace((any UserService).self) { _ in users }
        return try await Task {
            try await UsersFeature(container: container).launch(
                Launch(arguments: ["--watch"], console: console))
        }.value
    }

    private let grace = User(id: 1, name: "Grace")

    @Test("prints the users again whenever they change, until it is cancelled")
    func changes() async throws {
        let console = ScriptedConsole()
        let ada = User(id: 2, name: "Ada")
        let code = try await watch(
            [
                .success([grace]), .success([grace]), .success([grace, ada]), .success([]),
                .success([]),
            ], console)
        #expect(code == .success)
        #expect(console.output == "1 Grace\n\n1 Grace\n2 Ada\n\nno users\n")
    }

    @Test("says once that the users cannot be had, and goes on")
    func failure() async throws {
        let console = ScriptedConsole()
        let lost = UserServiceError.unavailable("gone")
        _ = try await watch(
            [
                .success([grace]), .failure(lost), .failure(lost), .success([grace]),
                .success([]),
            ],
            console)
        #expect(console.warnings == ["\(lost)"])
        #expect(console.output == "1 Grace\n\nno users\n")
    }

    @Test("ends with the error of the first look")
    func first() async throws {
        await #expect(throws: UserServiceError.readOnly) {
            _ = try await watch([.failure(.readOnly), .success([])], ScriptedConsole())
        }
    }
}
