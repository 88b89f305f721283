// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A new file next to the one that it is to replace, removed with its owner unless it was published.
///
/// It is locked as long as its owner lives. A process that is killed leaves the file, and loses the
/// lock: the next temporary file for the same target removes it. A lock tells dead processes apart
/// where their numbers do not, since numbers are used again and mean nothing in other containers.
package final class TemporaryFile {
    /// Open for writing.
    package let file: OpenFile
    private var isPublished = false

    /// Creates the file, and removes those that killed processes left for the same target.
    package init(nextTo target: String, mode: UInt32) throws(SystemError) {
        let prefix = ".\(Path.name(of: target)).eaves-"
        file = try Leftovers.claimNew(prefix, nextTo: target) { path throws(SystemError) in
            try OpenFile(creating: path, mode: mode)
        }
    }

    deinit {
        if !isPublished { unlink(file.path) }
    }

    /// Gives the file the name of its target, in one step.
    package func publish(as target: String) throws(SystemError) {
        try Files.rename(file.path, to: target)
        isPublished = true
    }
}

/// A private folder next to a target, removed with its owner. It is on the target's file system, so
/// that its files can be renamed into place.
///
/// It is locked, and removed after its process was killed, as a ``TemporaryFile`` is.
package final class WorkFolder: Sendable {
    private let lock: OpenFile

    /// Creates the folder, and removes those of the same purpose that killed processes left.
    ///
    /// - Parameter purpose: A word that becomes a part of the name.
    package init(nextTo target: String, for purpose: String) throws(SystemError) {
        lock = try Leftovers.claimNew(".eaves-\(purpose).", nextTo: target) {
            path throws(SystemError) in
            try Files.createNewFolder(path, mode: 0o700)
            // Another process may have removed it already.
            return try? OpenFile(reading: path)
        }
    }

    package var path: String { lock.path }

    deinit {
        // The next one removes a folder that cannot be removed now.
        try? Files.removeTree(path)
    }

    /// The descriptor that holds the lock. A child process that inherits it keeps the folder in use
    /// after this process has been killed.
    package var descriptor: Int32 { lock.descriptor }
}

/// Files and folders with names of our own, which belong to the process that has locked them.
private enum Leftovers {
    /// Removes what dead processes left, and then creates a file or folder and locks it.
    ///
    /// - Parameter create: Creates it with this path and opens it; `nil` if it is gone already.
    static func claimNew(
        _ prefix: String, nextTo target: String,
        _ create: (String) throws(SystemError) -> OpenFile?
    ) throws(SystemError) -> OpenFile {
        let parent = Path.parent(of: target)
        remove(prefix, in: parent)
        while true {
            let name = prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
            guard let file = try create(Path.join(parent, name)) else { continue }
            if lock(file) { return file }
        }
    }

    /// Locks what was just created.
    ///
    /// - Returns: `false` if another process took it for a leftover, and removed it, before it was
    ///   locked. On a file system without locks, nobody removes anything.
    private static func lock(_ file: borrowing OpenFile) -> Bool {
        while flock(file.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { return true }
        }
        guard let own = try? file.status(), let named = try? FileStatus(path: file.path) else {
            return false
        }
        return own.inode == named.inode && own.device == named.device
    }

    /// Removes what nobody holds a lock on.
    private static func remove(_ prefix: String, in parent: String) {
        guard let names = try? Folder.names(in: parent, startingWith: prefix) else { return }
        for name in names {
            let path = Path.join(parent, name)
            guard case .some(let lock) = try? FileLock(ifFree: path) else { continue }
            lock.hold { try? Files.removeTree(path) }
        }
    }
}
