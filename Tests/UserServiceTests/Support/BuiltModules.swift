// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesTestSupport

/// The modules of users, which a test run builds once from the shipped sources.
enum BuiltModules {
    /// The folder with the `.so` files.
    static func folder() throws -> String { try built.get().path }

    private static let built = Result {
        let folder = try TemporaryFolder()
        let names = ["Common", "UsersMemory", "UsersREST", "UsersSQLite", "UsersServer"]
        let requests = try names.map {
            try BuildRequest(folder: Repository.path("Plugins/\($0)"), output: folder.path)
        }
        for result in Builder(forHost: Repository.program).build(requests) {
            if let error = result.error {
                throw FixtureError("\(error)\n\(result.compilerOutput)")
            }
        }
        return folder
    }
}
