// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides users that are kept in an SQLite database: the setting `path`, or `users.sqlite` next to the
/// manifest.
///
/// The setting `timeout` is the time to wait, in seconds, while another process has locked the database.
enum UsersSQLiteModule: Module {
    static func register(in registrar: any Registrar) throws {
        let settings = registrar.settings
        let path = try settings.path("path") ?? settings.path(relative: "users.sqlite")
        let timeout = try settings.number("timeout") ?? 5
        guard (0...3600).contains(timeout) else { throw TimeoutError(timeout: timeout) }
        registrar.register((any UserService).self, scope: .shared) { _ in
            UsersInDatabase(path: path, timeout: timeout)
        }
    }
}

/// The setting `timeout` is not a time to wait.
struct TimeoutError: Error, CustomStringConvertible {
    let timeout: Double

    var description: String {
        "setting 'timeout': expected a number of seconds from 0 to 3600, found \(timeout)"
    }
}
