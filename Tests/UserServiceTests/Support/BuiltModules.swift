// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import Foundation

/// The modules of users, which a test run builds once from the shipped sources.
struct BuiltModules {
    private static let names = [
        "Common", "UsersMemory", "UsersREST", "UsersSQLite", "UsersServer",
    ]

    /// The folder with the `.so` files.
    let folder: URL

    static func folder() throws -> String { try shared.get().folder.path }

    private static let shared: Result<BuiltModules, any Error> = Result {
        // Threads that still run module code at this time do not need the files any more.
        atexit { try? FileManager.default.removeItem(at: BuiltModules.shared.get().folder) }
        return try BuiltModules()
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("eaves-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let plugins = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Plugins")
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let requests = try Self.names.map {
            try BuildRequest(
                folder: plugins.appendingPathComponent($0).path, output: folder.path)
        }
        for result in Builder(forHost: program).build(requests) {
            if let error = result.error {
                throw Fault(what: "\(error)\n\(result.compilerOutput)")
            }
        }
    }
}

/// A fixture could not be made.
struct Fault: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
