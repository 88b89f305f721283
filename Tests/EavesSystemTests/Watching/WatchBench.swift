// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

/// A temporary folder, and a watch of places in it.
struct WatchBench {
    let folder: TemporaryFolder
    let watch: FileWatch

    init(
        directories: [String] = [], files: [String] = [], trees: [String] = [],
        prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        try prepare(folder)
        try Self.waitUntilClosed(in: folder.path)
        watch = try FileWatch()
        try watch.watch(
            WatchedPlaces(
                directories: directories.map(folder.file), files: files.map(folder.file),
                trees: trees.map(folder.file)))
    }

    /// Makes a change.
    ///
    /// - Returns: The names, relative to the folder, that the news of it has: the system queues the events before
    ///   the call returns that makes the change. `["*"]` if the news is of everything.
    func news(of change: () throws -> Void) throws -> Set<String> {
        try change()
        return try newsNow()
    }

    /// The news that is there.
    func newsNow() throws -> Set<String> {
        try Self.waitUntilClosed(in: folder.path)
        return switch try watch.wait(until: .now) {
        case .files(let paths): Set(paths.map { Path.relative($0, to: folder.path) })
        case .everything: ["*"]
        case nil: []
        }
    }

    /// Waits until no process has a file below a folder open for writing, except the writers of the test.
    ///
    /// A child that another test starts has this process's open files until it runs its program. A file that is closed
    /// here meanwhile is closed, and becomes news, only then.
    static func waitUntilClosed(in folder: String) throws {
        for entry in try Folder(folder).entries {
            let path = Path.join(folder, entry.name)
            switch try? FileStatus(link: path) {
            case let status? where status.kind == .directory: try waitUntilClosed(in: path)
            case let status? where status.kind == .file && !SavingWriter.isOpen(status.inode):
                try waitUntilFileClosed(path)
            default: break
            }
        }
    }

    private static func waitUntilFileClosed(_ path: String) throws {
        let file = try OpenFile(reading: path)
        try Patience.wait(for: "'\(path)' to be closed by all who write it") {
            // The system gives a lease for reading only while no process has the file open for writing.
            if fcntl(file.descriptor, leaseCommand, Int32(F_RDLCK)) == 0 { return true }
            guard errno == EAGAIN else { throw SystemError(.open, path) }
            return false
        }
        guard fcntl(file.descriptor, leaseCommand, Int32(F_UNLCK)) == 0 else {
            throw SystemError(.open, path)
        }
    }

    /// `F_SETLEASE`, which Swift's Glibc module leaves out.
    private static let leaseCommand: Int32 = 1024

    /// Writes a file in place, as `echo text > name` does: opens, cuts off, writes, closes.
    func save(_ text: String, to name: String) throws {
        let writer = try SavingWriter(folder.file(name))
        try writer.write(text)
    }

    /// Writes a file in place, and returns the news of that.
    func saving(_ name: String, _ text: String = "x") throws -> Set<String> {
        try news { try save(text, to: name) }
    }

    /// Renames a file, and returns the news of that.
    func renaming(_ name: String, to target: String) throws -> Set<String> {
        try news { try rename(name, to: target) }
    }

    func rename(_ name: String, to target: String) throws {
        try Files.rename(folder.file(name), to: folder.file(target))
    }

    func remove(_ name: String) throws { try Files.removeTree(folder.file(name)) }
}

/// A file that is open for writing, until its owner lets it go.
struct SavingWriter: ~Copyable {
    /// The inodes of the files that writers have open. No two temporary folders of a run are on different file systems.
    private static let open = Mutex<Set<UInt64>>([])

    private let file: OpenFile
    private let inode: UInt64

    init(_ path: String, flags: Int32 = O_CREAT | O_TRUNC) throws(SystemError) {
        let descriptor = Glibc.open(path, flags | O_WRONLY | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError(.create, path) }
        let file = OpenFile(descriptor: descriptor, path: path)
        let inode = try file.status().inode
        self.file = file
        self.inode = inode
        Self.open.withLock { _ = $0.insert(inode) }
    }

    deinit {
        let inode = inode
        Self.open.withLock { _ = $0.remove(inode) }
    }

    static func isOpen(_ inode: UInt64) -> Bool { open.withLock { $0.contains(inode) } }

    func write(_ text: String) throws { try file.write(Array(text.utf8)) }

    /// Gives a file without a name one, as programs do that write with `O_TMPFILE`.
    func publish(as path: String) throws {
        let own = PathHandle.ownPath(of: file.descriptor)
        // AT_SYMLINK_FOLLOW, for the link that /proc has.
        guard linkat(AT_FDCWD, own, AT_FDCWD, path, 0x400) == 0 else {
            throw SystemError(.create, path)
        }
    }

    consuming func close() {}
}
