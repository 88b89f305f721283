// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Synchronization

/// Keeps users until the host ends. At first these are Alice and Bob.
///
/// Alice and Bob have no password, so no person can log in as one of them. Those who register can.
final class UsersInMemory: UserService {
    private struct Account {
        var user: User
        /// The hash of the password; `nil` if no person can log in as this user.
        let password: PasswordHash?
    }

    /// In ascending order of the ids, which begin at 1 and have no gaps: users are never removed.
    private let accounts = Mutex([
        Account(user: User(id: 1, name: "Alice"), password: nil),
        Account(user: User(id: 2, name: "Bob"), password: nil),
    ])

    func users() async throws -> [User] {
        accounts.withLock { $0.map(\.user) }
    }

    func user(named name: String) async throws -> User? {
        accounts.withLock { accounts in
            Self.index(of: name, in: accounts).map { accounts[$0].user }
        }
    }

    func register(name: String, password: String) async throws -> User {
        let name = try UserServiceError.checked(name: name)
        // Before the hash, which takes its time, and again with it: another task may have been faster.
        try accounts.withLock { try Self.checkIsFree(name, in: $0) }
        let hash = try PasswordHash(of: password)
        return try accounts.withLock { accounts in
            try Self.checkIsFree(name, in: accounts)
            let user = User(id: accounts.count + 1, name: name)
            accounts.append(Account(user: user, password: hash))
            return user
        }
    }

    func logIn(name: String, password: String) async throws -> User {
        let account = accounts.withLock { accounts in
            Self.index(of: name, in: accounts).map { accounts[$0] }
        }
        guard try PasswordHash.isRight(password, for: account?.password), let account else {
            throw UserServiceError.wrongPassword
        }
        return account.user
    }

    func update(_ user: User) async throws -> User {
        var user = user
        user.name = try UserServiceError.checked(name: user.name)
        return try accounts.withLock { [user] accounts in
            guard let index = accounts.firstIndex(where: { $0.user.id == user.id }) else {
                throw UserServiceError.unknownUser(user.id)
            }
            try Self.checkIsFree(user.name, in: accounts, except: user.id)
            accounts[index].user = user
            return user
        }
    }

    private static func index(of name: String, in accounts: [Account]) -> Int? {
        let folded = User.folded(name: name)
        return accounts.firstIndex { User.folded(name: $0.user.name) == folded }
    }

    private static func checkIsFree(
        _ name: String, in accounts: [Account], except id: User.ID? = nil
    ) throws(UserServiceError) {
        if let index = index(of: name, in: accounts), accounts[index].user.id != id {
            throw .nameTaken(name)
        }
    }
}
