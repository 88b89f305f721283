// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A folder that is gone with its owner.
final class TemporaryFolder: Sendable {
    let url: URL

    /// Modules that a group can write are refused, whatever umask the tests are started with.
    private static let mask = umask(0o022)

    init() throws {
        _ = Self.mask
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("eaves-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that could not be removed stays among the temporary ones.
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a text, and makes the folders above it.
    @discardableResult
    func write(_ path: String, _ text: String) throws -> URL {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file
    }

    func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(path)), as: UTF8.self)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(path).path)
    }
}
