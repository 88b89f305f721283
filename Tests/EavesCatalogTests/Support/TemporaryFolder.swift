// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder for one test, which goes when the test does.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let name = "eaves-catalog-\(UInt64.random(in: 0 ... .max))"
        path = Path.join(Environment.current["TMPDIR"] ?? "/tmp", name)
        try Files.createFolder(path)
    }

    deinit { try? Files.removeTree(path) }

    /// Writes a file, in a folder below if the name says so, and gives its path.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
        let file = Path.join(path, name)
        try Files.createFolder(Path.parent(of: file))
        try Files.replace(file, with: bytes)
        return file
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    @discardableResult
    func createFolder(_ name: String) throws -> String {
        let folder = Path.join(path, name)
        try Files.createFolder(folder)
        return folder
    }
}
