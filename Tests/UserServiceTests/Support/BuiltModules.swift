// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport

/// The shipped modules of users.
enum BuiltModules {
    /// The folder with their `.so` files alone.
    static func folder() throws -> String { try copied.get().path }

    private static let copied = Result {
        let folder = try TemporaryFolder()
        let ids = ["common", "users-memory", "users-rest", "users-sqlite", "users-server"]
        try BuiltProject.shipped.get().copy(ids, into: folder.path)
        return folder
    }
}
