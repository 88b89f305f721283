// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The tables of the users, and how an older database gets them.
enum UsersSchema {
    /// Marks a database as one of this module: `Eave` in ASCII.
    static let application = 0x4561_7665

    /// The statements that lead from each schema to the next one. A database that has gone through the first
    /// `n` steps has the schema `n`, which it keeps as its `user_version`. A step that was released never
    /// changes.
    static let steps = [
        [
            // With AUTOINCREMENT, an id is never given to a second row.
            """
            CREATE TABLE users (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL,
                folded TEXT NOT NULL UNIQUE,
                email TEXT NOT NULL DEFAULT '',
                color TEXT NOT NULL DEFAULT '',
                password TEXT NOT NULL
            )
            """
        ]
    ]

    /// Brings a database to the last schema, in one transaction.
    ///
    /// - Throws: ``DatabaseError`` if the database belongs to another program, has a later schema, or cannot
    ///   be changed. It is as it was then.
    static func migrate(_ database: Database, steps: [[String]] = steps) throws {
        if try schema(of: database, known: steps.count) == steps.count { return }
        try database.transaction {
            // Another process may have done it meanwhile.
            let schema = try schema(of: database, known: steps.count)
            for statement in steps[schema...].joined() { try database.execute(statement) }
            try database.execute("PRAGMA application_id = \(application)")
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// The schema that a database has; 0 for an empty file.
    private static func schema(of database: Database, known: Int) throws(DatabaseError) -> Int {
        let owner = try database.number("PRAGMA application_id")
        let schema = try database.number("PRAGMA user_version")
        if owner != application {
            guard owner == 0, schema == 0,
                try database.number("SELECT count(*) FROM sqlite_master") == 0
            else { throw DatabaseError(path: database.path, reason: .foreign) }
        }
        guard (0...known).contains(schema) else {
            throw DatabaseError(
                path: database.path, reason: .newerSchema(found: schema, known: known))
        }
        return schema
    }
}
