// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The database cannot be opened, read or written.
struct DatabaseError: Error, Equatable, CustomStringConvertible {
    /// Why it failed.
    enum Reason: Equatable {
        /// The file cannot be opened or created.
        case cannotOpen(String)
        /// The file has another format.
        case notADatabase
        /// The file is a database of another program.
        case foreign
        /// The schema was made by a later version of this module.
        case newerSchema(found: Int, known: Int)
        /// The content of the file is damaged.
        case damaged(String)
        /// The disk is full, or the file may not grow.
        case full
        /// Others have locked the file for too long.
        case locked(seconds: Double)
        /// The file can be read, and not be written.
        case readOnly
        /// A value has to be unique, and another row has it.
        case duplicate
        /// Any other code of SQLite, with its text.
        case other(Int32, String)
    }

    let path: String
    let reason: Reason

    /// The reason and the way to mend it, as the end of a sentence and further sentences.
    var description: String {
        switch reason {
        case .cannotOpen(let why):
            "cannot open the database \(path): \(why). "
                + "Correct the setting 'path' of users-sqlite, or create the folder."
        case .notADatabase:
            "\(path) is no SQLite database. Correct the setting 'path' of users-sqlite."
        case .foreign:
            "\(path) is a database of another program. Correct the setting 'path' of users-sqlite."
        case .newerSchema(let found, let known):
            "\(path) has the schema \(found), and this version of users-sqlite knows schemas up to "
                + "\(known). Use the version that made the database, or a later one."
        case .damaged(let why):
            "the database \(path) is damaged: \(why). Put a copy from before in its place."
        case .full:
            "cannot write the database \(path): the disk is full. Nothing was changed."
        case .locked(let seconds):
            "another process has locked the database \(path) for more than \(Self.words(seconds)). "
                + "Try again, or end that process."
        case .readOnly:
            "cannot write the database \(path): it can only be read. "
                + "Permit writing to the file and to its folder."
        case .duplicate:
            "\(path) has a row with this value already."
        case .other(let code, let text):
            "the database \(path) failed with the code \(code) of SQLite: \(text)."
        }
    }

    private static func words(_ seconds: Double) -> String {
        let number = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        return number + (seconds == 1 ? " second" : " seconds")
    }
}

extension DatabaseError.Reason {
    /// - Parameters:
    ///   - code: A code of SQLite, which may be an extended one.
    ///   - text: SQLite's words for it.
    ///   - system: The words of the system, if one of its calls has failed.
    ///   - timeout: How long a statement waits while the file is locked. In seconds.
    init(_ code: Int32, text: String, system: String?, timeout: Double) {
        self =
            switch code & 0xff {
            case _ where code == SQLITE_CONSTRAINT_UNIQUE: .duplicate
            case SQLITE_CANTOPEN: .cannotOpen(system ?? text)
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_CORRUPT: .damaged(text)
            case SQLITE_FULL: .full
            case SQLITE_BUSY, SQLITE_LOCKED: .locked(seconds: timeout)
            case SQLITE_READONLY: .readOnly
            default: .other(code, [text, system].compactMap(\.self).joined(separator: ", "))
            }
    }
}
