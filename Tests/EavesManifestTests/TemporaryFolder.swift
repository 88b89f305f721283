// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Testing

/// A folder for one test, which is removed with its content when the test lets it go.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = "/tmp/eaves-manifest-tests.\(UInt64.random(in: 0 ... .max))"
        try Files.createFolder(path)
    }

    deinit { Self.removeAll(path) }

    /// Returns the path of a file in the folder.
    func file(_ name: String) -> String { Path.join(path, name) }

    @discardableResult
    func write(_ text: String, to name: String = "manifest.json") throws -> String {
        let path = file(name)
        try Files.createFolder(Path.parent(of: path))
        try Files.replace(path, with: Array(text.utf8))
        return path
    }

    func read(_ name: String = "manifest.json") throws -> String {
        String(decoding: try Files.read(file(name)), as: UTF8.self)
    }

    /// Makes a symbolic link.
    @discardableResult
    func link(_ name: String, to target: String) throws -> String {
        try #require(symlink(target, file(name)) == 0)
        return file(name)
    }

    /// Returns the names of all entries.
    func names() throws -> [String] { try Folder(path).entries.map(\.name) }

    private static func removeAll(_ path: String) {
        for entry in (try? Folder(path))?.entries ?? [] {
            let inner = Path.join(path, entry.name)
            if entry.kind == .directory { removeAll(inner) } else { unlink(inner) }
        }
        rmdir(path)
    }
}
