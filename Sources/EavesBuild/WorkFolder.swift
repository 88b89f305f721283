// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A private folder beside an output, where the compiler writes. Goes with its owner.
///
/// On the output's own file system, so that the last step is a rename.
final class WorkFolder {
    private static let prefix = ".eaves-build."
    /// Younger ones may be about to be locked by their owner. In nanoseconds.
    private static let sweepAge: Int64 = 60_000_000_000

    let path: String
    /// Tells others that the folder is in use, however this process ends.
    private let lock: FileLock

    /// Also removes the folders of builds that were killed.
    init(beside output: String) throws(SystemError) {
        let parent = Path.parent(of: output)
        let name = Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
        let path = Path.join(parent, name)
        try Files.createNewFolder(path, mode: 0o700)
        do throws(SystemError) {
            lock = try FileLock(path)
        } catch {
            try? Files.removeTree(path)
            throw error
        }
        self.path = path
        Self.sweep(parent)
    }

    deinit {
        // What cannot be removed now is swept by the next build.
        try? Files.removeTree(path)
    }

    private static func sweep(_ parent: String) {
        guard let entries = try? Folder(parent).entries else { return }
        for entry in entries where entry.name.hasPrefix(prefix) {
            let path = Path.join(parent, entry.name)
            guard let status = try? FileStatus(path: path), status.kind == .directory,
                status.modified < WallClock.now - sweepAge,
                case .some(let lock) = try? FileLock(ifFree: path)
            else { continue }
            lock.hold { try? Files.removeTree(path) }
        }
    }
}
