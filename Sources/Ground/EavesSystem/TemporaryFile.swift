// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A new file of a folder that is to replace another one there, removed with its owner unless it was published.
///
/// It is locked as long as its owner lives. A process that is killed leaves the file, and loses the
/// lock: the next temporary file for the same target removes it. A lock tells dead processes apart
/// where their numbers do not, since numbers are used again and mean nothing in other containers.
package final class TemporaryFile {
    package let file: OpenFile
    private let folder: OpenFolder
    private var isPublished = false

    /// Creates the file, and removes those that killed processes of this user left for the same target.
    package init(
        for target: String, in folder: borrowing OpenFolder, mode: UInt32
    ) throws(SystemError) {
        self.folder = try folder.copy()
        file = try Leftovers.claimNew(".\(target).eaves-", .file, in: folder) {
            folder, name throws(SystemError) in
            try OpenFile(creating: name, in: folder, mode: mode)
        }
    }

    private var name: String { Path.name(of: file.path) }

    deinit {
        if !isPublished { unlinkat(folder.descriptor, name, 0) }
    }

    /// Renames the file to its target, in one step.
    ///
    /// - Parameter lasts: Whether a power cut must leave the old file or the new one.
    package func publish(as target: String, lasts: Bool = true) throws(SystemError) {
        if lasts || !folder.exchange(name, with: target) {
            try folder.rename(name, to: target)
            isPublished = true
        }
        // After an exchange, the name of this file is that of the old one, which goes with this object.
        // A child that another thread starts just now has the descriptor, too, and the lock would last until it runs.
        _ = flock(file.descriptor, LOCK_UN)
    }
}

/// A private folder in another one, removed with its owner. It is on the same file system, so that its
/// files can be renamed into place.
///
/// It is locked, and removed after its process was killed, as a ``TemporaryFile`` is.
package final class WorkFolder: Sendable {
    private let lock: OpenFile
    private let parent: OpenFolder

    /// Creates the folder, and removes those of the same purpose that killed processes of this user left.
    ///
    /// - Parameters:
    ///   - parent: A folder whose caller has made sure that no other user can rename what is in it: trees
    ///     are removed there by their names.
    ///   - purpose: A word that becomes a part of the name.
    package init(in parent: borrowing OpenFolder, for purpose: String) throws(SystemError) {
        self.parent = try parent.copy()
        lock = try Leftovers.claimNew(".eaves-\(purpose).", .directory, in: parent) {
            parent, name throws(SystemError) in
            guard try parent.createFolder(name, mode: 0o700) else { return nil }
            // Another process may have removed it already.
            return try? parent.file(name)
        }
    }

    package var path: String { lock.pathForCompilers }

    /// The path as it is, also if compilers do not take it.
    package var plainPath: String { lock.path }

    private var name: String { Path.name(of: lock.path) }

    deinit { remove() }

    /// Removes the folder early. The next one removes a folder that cannot be removed now.
    package func remove() { try? parent.removeTree(name) }

    /// Moves a file of this folder to the folder above, in place of the file that has the new name there.
    package func publish(_ file: String, as target: String) throws(SystemError) {
        try parent.take(Path.join(path, file), as: target)
    }

    /// The descriptor that holds the lock. A child process that inherits it keeps the folder in use
    /// after this process has been killed.
    package var descriptor: Int32 { lock.descriptor }
}

/// Files and folders with names of our own, which belong to the process that has locked them.
private enum Leftovers {
    /// Removes what dead processes left, and then creates a file or folder and locks it.
    ///
    /// - Parameter create: A function that creates it with this name and opens it; `nil` if it is gone already.
    static func claimNew(
        _ prefix: String, _ kind: FileStatus.Kind, in folder: borrowing OpenFolder,
        _ create: (borrowing OpenFolder, String) throws(SystemError) -> OpenFile?
    ) throws(SystemError) -> OpenFile {
        remove(prefix, kind, in: folder)
        while true {
            let name = prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
            guard let file = try create(folder, name) else { continue }
            if lock(file, name, in: folder) { return file }
        }
    }

    /// Locks what was just created.
    ///
    /// - Returns: `false` if another process took it for a leftover, and removed it, before it was
    ///   locked. On a file system without locks, no process removes anything.
    private static func lock(
        _ file: borrowing OpenFile, _ name: String, in folder: borrowing OpenFolder
    ) -> Bool {
        while flock(file.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { return true }
        }
        guard let own = try? file.status(), let named = try? folder.status(link: name) else {
            return false
        }
        return own.node == named.node
    }

    /// Removes what no process holds a lock on. In a folder that all users can write, other users can make
    /// entries with such names, too: only what this user owns is removed, and no link is followed.
    ///
    /// What cannot be removed now is removed by a later process.
    private static func remove(
        _ prefix: String, _ kind: FileStatus.Kind, in folder: borrowing OpenFolder
    ) {
        guard let names = try? folder.names(startingWith: prefix) else { return }
        for name in names {
            guard let left = try? folder.file(name), let status = try? left.status(),
                status.kind == kind, status.isOwnedByUser, left.lockAlone()
            else { continue }
            // A tree needs a folder that no other user can change; a file alone does no harm.
            if kind == .directory {
                try? folder.removeTree(name)
            } else {
                try? folder.remove(name)
            }
        }
    }
}
