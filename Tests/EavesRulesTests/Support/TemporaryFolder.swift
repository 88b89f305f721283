// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder for one test. It is removed when the test ends.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let name = "eaves-rules-\(UInt64.random(in: 0 ... .max))"
        path = Path.join(Environment.current["TMPDIR"] ?? "/tmp", name)
        try Files.createFolder(path)
    }

    deinit { try? Files.removeTree(path) }

    /// Writes a file, creates its folder if needed, and returns its path.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
        let file = file(name)
        try Files.createFolder(Path.parent(of: file))
        try Files.replace(file, with: bytes)
        return file
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    func file(_ name: String) -> String { Path.join(path, name) }
}
