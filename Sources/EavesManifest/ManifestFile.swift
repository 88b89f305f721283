// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesSystem

/// The manifest as a file.
enum ManifestFile {
    /// Far more than anybody writes, so that a wrong file cannot exhaust memory. In bytes.
    private static let limit = 4 << 20

    static func read(_ path: String) throws(ManifestError) -> [UInt8] {
        do {
            return try Files.read(path, limit: limit)
        } catch {
            throw ManifestError(path, [ManifestProblem(problem(of: path, error))])
        }
    }

    private static func problem(of path: String, _ error: SystemError) -> ManifestProblem.Kind {
        if error.errno == .noSuchFile { return .missing }
        if let kind = try? FileStatus(path: path).kind, kind != .file { return .notAFile(kind) }
        return .system(error)
    }
}
