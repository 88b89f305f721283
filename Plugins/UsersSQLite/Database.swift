// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// A connection to an SQLite database in a file. One thread at a time uses it.
///
/// The database keeps SQLite's rollback journal, so that it is one file except during a write: a file that can be
/// copied, and be read where it cannot be written. A transaction that was committed survives a crash of the
/// process and of the machine.
final class Database {
    let path: String
    /// How long a statement waits while another connection has locked the file. In seconds.
    let timeout: Double
    private let handle: OpaquePointer

    /// Opens the file, and creates an empty one that only its owner can read if there is none.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - timeout: How long a statement waits while the file is locked. In seconds.
    ///   - isReadOnly: Whether nothing may be written; the file has to exist then.
    init(path: String, timeout: Double, isReadOnly: Bool = false) throws(DatabaseError) {
        self.path = path
        self.timeout = timeout
        // A file that is opened and closed here would take the locks of this process's other connections
        // with it. This call opens none. If it fails, opening fails with the same reason.
        if !isReadOnly { mknod(path, S_IFREG | 0o600, 0) }
        var handle: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_FULLMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw Self.failure(code, of: handle, path: path, timeout: timeout)
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(timeout * 1000))
        // The file system's entry of the journal, too, has to be on the disk before a commit returns.
        try execute("PRAGMA synchronous = EXTRA")
    }

    // SAFETY: Nothing else closes the handle. Statements keep the database, so none is left.
    deinit { sqlite3_close_v2(handle) }

    /// Whether the file was moved, removed or replaced since it was opened. Later writes to it are lost.
    var hasMoved: Bool {
        var moved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return moved != 0
    }

    /// The id of the row that was inserted last.
    var insertedID: Int { Int(sqlite3_last_insert_rowid(handle)) }

    /// The number of rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Prepares a statement.
    ///
    /// - Parameters:
    ///   - sql: A single statement, with `?` for each value.
    ///   - values: The values.
    func prepare(
        _ sql: String, _ values: [Statement.Value] = []
    ) throws(DatabaseError) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw failure(code) }
        let statement = Statement(self, prepared)
        try statement.bind(values)
        return statement
    }

    /// Runs a statement to its end, and ignores its rows.
    func execute(_ sql: String, _ values: [Statement.Value] = []) throws(DatabaseError) {
        let statement = try prepare(sql, values)
        while try statement.next() {}
    }

    /// Returns the number in the only row of a statement.
    func number(_ sql: String) throws(DatabaseError) -> Int {
        let statement = try prepare(sql)
        return try statement.next() ? statement.number(0) : 0
    }

    /// Runs a transaction. The file is locked against other writers from the beginning, so that nothing that
    /// was read changes before it is written.
    ///
    /// - Returns: The result of `body`, after the transaction was committed.
    /// - Throws: The error of `body`, or of the commit. Nothing was changed then.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have ended the transaction already, and there is nothing left to roll back.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The error of the call that has just failed.
    func failure(_ code: Int32) -> DatabaseError {
        Self.failure(code, of: handle, path: path, timeout: timeout)
    }

    private static func failure(
        _ code: Int32, of handle: OpaquePointer?, path: String, timeout: Double
    ) -> DatabaseError {
        let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory is left"
        let number = handle.map { sqlite3_system_errno($0) } ?? 0
        let system = number == 0 ? nil : String(cString: strerror(number))
        return DatabaseError(
            path: path, reason: .init(code, text: text, system: system, timeout: timeout))
    }
}
