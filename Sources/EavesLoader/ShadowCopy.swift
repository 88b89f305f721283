// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc

/// Makes private copies of modules' files. Hosts load the copies.
///
/// Overwriting, truncating or deleting the original then does not affect a running host, and the
/// dynamic linker sees a new version at the same path as a new file.
package struct ShadowCopy: Sendable {
    /// A private copy, and the original that it was made of.
    package struct Made: Sendable {
        /// The path of the copy.
        package let path: String
        /// The status of the original when its bytes were read: that of the open file, not of the
        /// name.
        package let original: FileStatus
    }

    private let folder: String

    /// Returns the folder for private copies in a store.
    package static func folder(in store: String) -> String { Path.join(store, "modules") }

    /// - Parameter folder: The folder for the copies. It is created when it is first needed.
    package init(in folder: String) {
        self.folder = folder
    }

    /// Returns a copy of a module's file in its present state. Reuses an earlier copy of the same
    /// state.
    ///
    /// If the folder cannot be written, the copy is in memory and lives until the process ends.
    ///
    /// - Parameters:
    ///   - source: The module's file, open for reading.
    ///   - id: The module's id.
    /// - Throws: ``SystemError`` if the original cannot be read, or changes while it is read.
    package func make(of source: borrowing OpenFile, id: String) throws(SystemError) -> Made {
        let status = try source.status()
        guard status.size <= FileStatus.moduleSizeLimit else {
            throw SystemError(.read, source.path, .fileTooBig)
        }
        let copy = Path.join(folder, Self.name(id: id, status: status))
        if let old = try? FileStatus(link: copy) {
            if Self.isCopy(old, of: status) { return Made(path: copy, original: status) }
            // Replacing the file would keep its owner and permissions, and follow a link.
            try? Files.remove(copy)
        }
        let bytes = try source.bytes(at: 0, count: status.size)
        let later = try source.status()
        guard bytes.count == status.size && later == status else {
            throw SystemError(.read, source.path, .tryAgain)
        }
        do {
            try store(bytes, as: copy, id: id)
            return Made(path: copy, original: status)
        } catch {
            return Made(path: try Self.keepInMemory(bytes, id: id), original: status)
        }
    }

    /// Whether a file is a copy that this user has made. A file that another user owns or can write
    /// to could contain anything.
    private static func isCopy(_ status: FileStatus, of original: FileStatus) -> Bool {
        status.kind == .file && status.size == original.size && status.isOwnedByUser
            && !status.isWritableByOthers
    }

    private func store(_ bytes: [UInt8], as copy: String, id: String) throws(SystemError) {
        try Files.createFolder(folder, mode: 0o700)
        try Files.replace(copy, with: bytes, mode: 0o500)
        removeCopies(of: id, except: Path.name(of: copy))
    }

    /// Removes the copies of earlier states. A host that has loaded one can go on: the system keeps
    /// the content of a file as long as a process maps it.
    private func removeCopies(of id: String, except kept: String) {
        guard let entries = try? Folder(folder).entries else { return }
        for entry in entries where entry.name.hasPrefix(id + "@") && entry.name != kept {
            try? Files.remove(Path.join(folder, entry.name))
        }
    }

    /// Returns the file name of a copy. Ids contain no `@`, so the copies of `users` and `users-v2`
    /// have different prefixes.
    private static func name(id: String, status: FileStatus) -> String {
        id + "@" + FileIdentity(status).text + ".so"
    }

    private static func keepInMemory(_ bytes: [UInt8], id: String) throws(SystemError) -> String {
        let descriptor = MemoryFile.open(id)
        guard descriptor >= 0 else { throw SystemError(.create, "a copy of \(id) in memory") }
        let isWritten = bytes.withUnsafeBufferPointer { OpenFile.write($0, to: descriptor) }
        guard isWritten else { throw SystemError(.write, "a copy of \(id) in memory") }
        // Never closed: a later file could get the same name, and the dynamic linker would take it
        // for this one.
        return "/proc/self/fd/\(descriptor)"
    }
}
