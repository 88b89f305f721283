// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder for one test, removed with this object.
package final class Scratch: Sendable {
    package let path: String

    package init() throws {
        path = "/tmp/eaves-build-tests.\(UInt64.random(in: 0 ... .max))"
        try Files.createNewFolder(path, mode: 0o700)
    }

    deinit { try? Files.removeTree(path) }

    package func path(_ name: String) -> String { Path.join(path, name) }

    /// Writes a file, and the folders above it. Returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws -> String {
        let path = path(name)
        try Files.createFolder(Path.parent(of: path))
        try Files.replace(path, with: Array(text.utf8), mode: mode)
        return path
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try Files.read(path(name)), as: UTF8.self)
    }

    package func names(in folder: String = "") throws -> [String] {
        try Folder(path(folder)).entries.map(\.name)
    }
}
