// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder for one test, which is removed with its content when the test lets it go.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = Path.join(
            Environment.current["TMPDIR"] ?? "/tmp",
            "eaves-loader-\(UInt64.random(in: 0 ... .max))")
        try Files.createFolder(path)
    }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { Path.join(path, name) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Files.replace(file(name), with: Array(text.utf8))
        return file(name)
    }
}
