// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A prepared statement with its values bound. Its rows are read one after the other.
struct Statement: ~Copyable {
    /// A value that a statement can bind.
    enum Value {
        case number(Int)
        case text(String)
    }

    private let database: Database
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - database: An open database.
    ///   - handle: A statement that was prepared for it; this value finalizes it.
    init(_ database: Database, _ handle: OpaquePointer) {
        self.database = database
        self.handle = handle
    }

    // SAFETY: The handle is valid until here, because nothing else finalizes it, and the database stays open
    // as long as this value refers to it.
    deinit { sqlite3_finalize(handle) }

    /// Binds the statement's parameters to values, in order.
    func bind(_ values: [Value]) throws(DatabaseError) {
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .number(let number): sqlite3_bind_int64(handle, index, Int64(number))
                case .text(let text):
                    eaves_bind_text(handle, index, text, Int32(clamping: text.utf8.count))
                }
            guard code == SQLITE_OK else { throw database.failure(code) }
        }
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    func next() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw database.failure(code)
        }
    }

    /// The number in a column of the current row; the columns are counted from 0.
    func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    /// The text in a column of the current row; the columns are counted from 0.
    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        // SAFETY: The bytes are valid until the next step, and their count is that of the same text.
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
