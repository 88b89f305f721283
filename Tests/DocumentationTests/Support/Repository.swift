// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The repository that these tests belong to.
enum Repository {
    /// Its top folder.
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func file(_ path: String) -> URL { folder.appendingPathComponent(path) }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: file(path).path)
    }

    /// The folder of the command that was built together with these tests.
    static let commandFolder: String = {
        let test = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: test ?? "").deletingLastPathComponent().path
    }()
}
