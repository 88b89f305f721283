// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import Synchronization

/// Keeps users in a database, which is opened when it is needed first.
///
/// Several processes can use the file at once. A user who was returned by ``register(name:password:)`` is on the
/// disk.
final class UsersInDatabase: UserService {
    private static let columns = "id, name, email, color"

    private let path: String
    private let timeout: Double
    /// Waiting for the disk and for locks would hold up other tasks, so it is done on a thread of its own.
    private let queue = DispatchQueue(label: "users-sqlite")
    /// `nil` before the first call, and after an error, so that the next call opens the file again.
    private let connection = Mutex<Database?>(nil)

    /// - Parameters:
    ///   - path: The path of the database, which is created if it does not exist.
    ///   - timeout: How long to wait while other processes have locked it. In seconds.
    init(path: String, timeout: Double) {
        self.path = path
        self.timeout = timeout
    }

    func users() async throws -> [User] {
        try await run { database in
            let rows = try database.prepare("SELECT \(Self.columns) FROM users ORDER BY id")
            var users: [User] = []
            while try rows.next() { users.append(Self.user(in: rows)) }
            return users
        }
    }

    func user(named name: String) async throws -> User? {
        try await run { database in
            try Self.user(
                in: database, "folded = ?", .text(User.folded(name: name)))
        }
    }

    func user(_ id: User.ID) async throws -> User? {
        try await run { try Self.user(in: $0, "id = ?", .number(id)) }
    }

    func register(name: String, password: String) async throws -> User {
        let name = try UserServiceError.checked(name: name)
        let folded = User.folded(name: name)
        // Before the hash, which takes its time. The transaction finds out if another one was faster.
        guard try await user(named: name) == nil else { throw UserServiceError.nameTaken(name) }
        let hash = try PasswordHash(of: password)
        return try await change(to: name) { database in
            try database.execute(
                "INSERT INTO users (name, folded, password) VALUES (?, ?, ?)",
                [.text(name), .text(folded), .text(hash.text)])
            return User(id: database.insertedID, name: name)
        }
    }

    func logIn(name: String, password: String) async throws -> User {
        let found = try await run { database -> (user: User, hash: PasswordHash)? in
            let row = try database.prepare(
                "SELECT \(Self.columns), password FROM users WHERE folded = ?",
                [.text(User.folded(name: name))])
            guard try row.next() else { return nil }
            return (Self.user(in: row), PasswordHash(text: row.text(4)))
        }
        guard try PasswordHash.isRight(password, for: found?.hash), let found else {
            throw UserServiceError.wrongPassword
        }
        return found.user
    }

    func update(_ user: User) async throws -> User {
        var user = user
        user.name = try UserServiceError.checked(name: user.name)
        return try await change(to: user.name) { [user] database in
            try database.execute(
                "UPDATE users SET name = ?, folded = ?, email = ?, color = ? WHERE id = ?",
                [
                    .text(user.name), .text(User.folded(name: user.name)), .text(user.email),
                    .text(user.color), .number(user.id),
                ])
            guard database.changedRows == 1 else { throw UserServiceError.unknownUser(user.id) }
            return user
        }
    }

    /// Changes the database in one transaction, in which a name may turn out to be taken.
    private func change(
        to name: String, _ work: @escaping @Sendable (Database) throws -> User
    ) async throws -> User {
        try await run { database in
            do {
                return try database.transaction { try work(database) }
            } catch let error as DatabaseError where error.reason == .duplicate {
                throw UserServiceError.nameTaken(name)
            }
        }
    }

    /// Runs some work with the open database, on the thread for it.
    ///
    /// - Throws: ``UserServiceError``.
    private func run<Result: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Swift.Result { try withConnection(work) })
            }
        }
    }

    private func withConnection<Result: Sendable>(
        _ work: (Database) throws -> Result
    ) throws -> Result {
        try connection.withLock { connection in
            do {
                if connection?.hasMoved == true { connection = nil }
                if connection == nil {
                    let opened = try Database(path: path, timeout: timeout)
                    try UsersSchema.migrate(opened)
                    connection = opened
                }
                guard let database = connection else {
                    throw UserServiceError.unavailable("the database is not open.")
                }
                return try work(database)
            } catch let error as DatabaseError {
                connection = nil
                throw UserServiceError.unavailable("\(error)")
            }
        }
    }

    private static func user(
        in database: Database, _ condition: String, _ value: Statement.Value
    ) throws(DatabaseError) -> User? {
        let row = try database.prepare(
            "SELECT \(columns) FROM users WHERE \(condition)", [value])
        return try row.next() ? user(in: row) : nil
    }

    private static func user(in row: borrowing Statement) -> User {
        User(id: row.number(0), name: row.text(1), email: row.text(2), color: row.text(3))
    }
}
