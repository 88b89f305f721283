// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import Foundation
import Testing

@testable import UsersSQLite

@Suite("The database of users", .onOwnThreads, .patiently)
struct UsersSQLiteTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("users.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func users(timeout: Double = 5) -> UsersInDatabase {
        UsersInDatabase(path: path, timeout: timeout)
    }

    private func open(timeout: Double = 5) throws -> Database {
        try Database(path: path, timeout: timeout)
    }

    private func expectUnavailable(
        _ reason: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: (UsersInDatabase) async throws -> Void
    ) async {
        await #expect(
            throws: UserServiceError.unavailable(reason), sourceLocation: sourceLocation
        ) { try await work(self.users(timeout: 0.1)) }
    }

    @Test("is a file for its owner alone, with salted hashes in place of passwords")
    func hashes() async throws {
        let first = try await users().register(name: "Grace", password: "same password")
        let second = try await users().register(name: "Edsger", password: "same password")
        #expect(first.id == 1 && second.id == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let rows = try open().prepare("SELECT '', password FROM users")
        var hashes: Set<String> = []
        while try rows.next() { hashes.insert(rows.text(1)) }
        #expect(hashes.count == 2)
        #expect(hashes.allSatisfy { $0.hasPrefix("$y$") || $0.hasPrefix("$6$") })
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.range(of: Data("same password".utf8)) == nil)
        // Between two transactions the database is one file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("keeps the users for the next process, and never gives an id twice")
    func kept() async throws {
        let grace = try await users().register(name: "Grace", password: "cobol")
        #expect(try await users().logIn(name: "Grace", password: "cobol") == grace)
        try open().execute("DELETE FROM users")
        let next = try await users().register(name: "Grace", password: "cobol")
        #expect(next.id == grace.id + 1)
    }

    @Test("goes from schema to schema in one transaction")
    func migrates() async throws {
        let grace = try await users().register(name: "Grace", password: "cobol")
        let steps = UsersSchema.steps + [["ALTER TABLE users ADD COLUMN phone TEXT"]]
        let failing = steps + [["CREATE TABLE t (a)", "no statement"]]
        #expect(throws: DatabaseError.self) {
            try UsersSchema.migrate(self.open(), steps: failing)
        }
        #expect(try open().number("PRAGMA user_version") == 1)
        #expect(try open().number("SELECT count(*) FROM pragma_table_info('users')") == 6)
        try UsersSchema.migrate(open(), steps: steps)
        try UsersSchema.migrate(open(), steps: steps)
        #expect(try open().number("PRAGMA user_version") == 2)
        #expect(try open().number("SELECT count(*) FROM pragma_table_info('users')") == 7)
        #expect(try open().number("SELECT id FROM users") == grace.id)
        // The present module knows one schema.
        await expectUnavailable(
            "\(path) has the schema 2, and this version of users-sqlite knows schemas up to 1. "
                + "Use the version that made the database, or a later one."
        ) { _ = try await $0.users() }
    }

    @Test("is refused if it is another program's, or no database")
    func foreign() async throws {
        try open().execute("CREATE TABLE bookmarks (url TEXT)")
        await expectUnavailable(
            "\(path) is a database of another program. "
                + "Correct the setting 'path' of users-sqlite."
        ) { _ = try await $0.register(name: "Grace", password: "cobol") }
        #expect(try open().number("SELECT count(*) FROM sqlite_master") == 1)
        try Data(String(repeating: "No database. ", count: 100).utf8)
            .write(to: URL(fileURLWithPath: path))
        await expectUnavailable(
            "\(path) is no SQLite database. Correct the setting 'path' of users-sqlite."
        ) { _ = try await $0.users() }
    }

    @Test("is refused with the reason if its folder does not exist, or if it is a folder")
    func cannotOpen() async throws {
        let lost = UsersInDatabase(path: "/nowhere/users.sqlite", timeout: 1)
        await #expect(
            throws: UserServiceError.unavailable(
                "cannot open the database /nowhere/users.sqlite: No such file or directory. "
                    + "Correct the setting 'path' of users-sqlite, or create the folder.")
        ) { try await lost.users() }
        await #expect(throws: UserServiceError.self) {
            try await UsersInDatabase(path: self.folder.path, timeout: 1).users()
        }
    }

    @Test("says that it is locked for too long, and goes on when it is free again")
    func locked() async throws {
        let users = users(timeout: 0.1)
        _ = try await users.users()
        let other = try open()
        try other.execute("BEGIN EXCLUSIVE")
        let reason =
            "another process has locked the database \(path) for more than 0.1 seconds. "
            + "Try again, or end that process."
        await #expect(throws: UserServiceError.unavailable(reason)) { try await users.users() }
        await #expect(throws: UserServiceError.unavailable(reason)) {
            try await users.register(name: "Grace", password: "cobol")
        }
        try other.execute("COMMIT")
        _ = try await users.register(name: "Grace", password: "cobol")
        #expect(try await users.users().count == 1)
    }

    @Test("waits for others who have locked it for a moment")
    func waits() async throws {
        let users = users(timeout: Patience.seconds)
        let grace = try await users.register(name: "Grace", password: "cobol")
        let other = try open()
        try other.execute("BEGIN IMMEDIATE")
        // This change makes no hash first. If it comes too late to meet the lock, the test is only weaker.
        async let changed = users.update(grace)
        Patience.letPass(.milliseconds(200))
        try other.execute("COMMIT")
        #expect(try await changed == grace)
    }

    @Test("tells that the disk is full, and that nothing may be written; nothing changes then")
    func cannotWrite() async throws {
        _ = try await users().register(name: "Grace", password: "cobol")
        let small = try open()
        try small.execute("PRAGMA max_page_count = 1")
        let full = #expect(throws: DatabaseError.self) {
            try small.transaction {
                for number in 0..<100 {
                    try small.execute(
                        "INSERT INTO users (name, folded, password) VALUES (?, ?, ?)",
                        [.text("\(number)"), .text("\(number)"), .text(self.path)])
                }
            }
        }
        #expect(full?.reason == .full)
        #expect(
            full?.description == "cannot write the database \(path): the disk is full. "
                + "Nothing was changed.")
        let fixed = try Database(path: path, timeout: 1, isReadOnly: true)
        let readOnly = #expect(throws: DatabaseError.self) {
            try fixed.transaction { try fixed.execute("DELETE FROM users") }
        }
        #expect(readOnly?.reason == .readOnly)
        #expect(try await users().users().count == 1)
    }

    @Test("is opened again if its file was removed or replaced")
    func moved() async throws {
        let users = users()
        _ = try await users.register(name: "Grace", password: "cobol")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        _ = try await users.register(name: "Edsger", password: "goto")
        #expect(try await users.users().map(\.name) == ["Edsger"])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        #expect(try await users.users().map(\.name) == ["Grace"])
    }
}
