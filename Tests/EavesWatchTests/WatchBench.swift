// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import EavesWatch
import Glibc
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
        switch try watch.wait(until: .now) {
        case .files(let paths): Set(paths.map { Path.relative($0, to: folder.path) })
        case .everything: ["*"]
        case nil: []
        }
    }

    /// Writes a file in place, as `echo text > name` does: opens, cuts off, writes, closes.
    func save(_ text: String, to name: String) throws {
        let writer = try Writer(folder.file(name))
        try writer.write(text)
    }

    func rename(_ name: String, to target: String) throws {
        try Files.rename(folder.file(name), to: folder.file(target))
    }

    func remove(_ name: String) throws { try Files.removeTree(folder.file(name)) }
}

/// A file that is open for writing, until its owner lets it go.
struct Writer: ~Copyable {
    private let file: OpenFile

    init(_ path: String, flags: Int32 = O_CREAT | O_TRUNC) throws(SystemError) {
        let descriptor = open(path, flags | O_WRONLY | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError(.create, path) }
        file = OpenFile(descriptor: descriptor, path: path)
    }

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
