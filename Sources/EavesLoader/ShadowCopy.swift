// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc

/// Makes private copies of modules' files, which are what gets loaded.
///
/// Whoever overwrites, truncates or deletes the original then harms no running host, and a new
/// version at the same path is a new file to the dynamic linker.
package struct ShadowCopy: Sendable {
    /// A copy to load, and what it was made of.
    package struct Made: Sendable {
        /// The copy's path.
        package let path: String
        /// The original as it was when its bytes were read: of the open file, not of the name.
        package let original: FileStatus
    }

    private let folder: String

    /// Where the copies of a store stand.
    package static func folder(in store: String) -> String { Path.join(store, "modules") }

    /// - Parameter folder: Where the copies stand; created when it is first needed.
    package init(in folder: String) {
        self.folder = folder
    }

    /// A copy of the file as it is now; an earlier copy of the same state serves again.
    ///
    /// Where the folder cannot be written, the copy lives in memory until the process ends.
    ///
    /// - Parameters:
    ///   - original: The module's file.
    ///   - id: The module's id.
    package func make(of original: String, id: String) throws(SystemError) -> Made {
        let source = try OpenFile(reading: original)
        let status = try source.status()
        let copy = Path.join(folder, Self.name(id: id, status: status))
        if isCopy(copy, of: status) { return Made(path: copy, original: status) }
        let bytes = try source.bytes(at: 0, count: status.size)
        let later = try source.status()
        guard bytes.count == status.size && later == status else {
            throw SystemError(.read, original, .tryAgain)
        }
        do {
            try store(bytes, as: copy, id: id)
            return Made(path: copy, original: status)
        } catch {
            return Made(path: try Self.keepInMemory(bytes, id: id), original: status)
        }
    }

    /// Somebody else's file, or one that others can write, is not ours to trust.
    private func isCopy(_ path: String, of original: FileStatus) -> Bool {
        guard let status = try? FileStatus(path: path) else { return false }
        return status.kind == .file && status.size == original.size
            && status.owner == Accounts.current && status.mode & 0o022 == 0
    }

    private func store(_ bytes: [UInt8], as copy: String, id: String) throws(SystemError) {
        try Files.createFolder(folder, mode: 0o700)
        try Files.replace(copy, with: bytes, mode: 0o500)
        removeOthers(of: id, but: Path.name(of: copy))
    }

    /// Earlier states are of no more use. A host that has one loaded keeps it: the file's content
    /// goes only when nobody maps it any more.
    private func removeOthers(of id: String, but kept: String) {
        guard let entries = try? Folder(folder).entries else { return }
        for entry in entries where entry.name.hasPrefix(id + "@") && entry.name != kept {
            try? Files.remove(Path.join(folder, entry.name))
        }
    }

    /// An id holds no `@`, so that the copies of `users` and `users-v2` are told apart.
    private static func name(id: String, status: FileStatus) -> String {
        id + "@" + FileIdentity(status).text + ".so"
    }

    private static func keepInMemory(_ bytes: [UInt8], id: String) throws(SystemError) -> String {
        let descriptor = MemoryFile.open(id)
        guard descriptor >= 0 else { throw SystemError(.create, "a copy of \(id) in memory") }
        let isWritten = bytes.withUnsafeBufferPointer { OpenFile.write($0, to: descriptor) }
        guard isWritten else { throw SystemError(.write, "a copy of \(id) in memory") }
        // Never closed: the dynamic linker takes a second file of the same name for the first.
        return "/proc/self/fd/\(descriptor)"
    }
}
