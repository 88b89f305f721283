// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
import Glibc

/// A file, folder or symbolic link that is held by a descriptor but not open for reading (`O_PATH`). Whatever happens
/// to its name, the handle stays with the same file. It is closed when its owner goes.
package struct PathHandle: ~Copyable, Sendable {
    /// The path that leads to the file, for messages.
    package let path: String
    private let descriptor: Int32

    /// `O_PATH`, which Swift's Glibc module leaves out. Linux has the same number on every machine that Swift runs on.
    package static let pathOnly: Int32 = 0o10_000_000
    private static let flags = pathOnly | O_NOFOLLOW | O_CLOEXEC

    package static func root() throws(SystemError) -> PathHandle {
        PathHandle(path: "/", descriptor: try opened(AT_FDCWD, "/", "/"))
    }

    deinit { close(descriptor) }

    private static func opened(
        _ folder: Int32, _ name: String, _ path: String
    ) throws(SystemError) -> Int32 {
        let opened = name.withCString { openat(folder, $0, flags) }
        guard opened >= 0 else { throw SystemError(.inspect, path) }
        return opened
    }

    /// Takes hold of what a folder has under a name. Does not follow a symbolic link.
    package func child(_ name: String) throws(SystemError) -> PathHandle {
        let path = Path.join(self.path, name)
        return PathHandle(path: path, descriptor: try Self.opened(descriptor, name, path))
    }

    package func parent() throws(SystemError) -> PathHandle {
        let above = Path.parent(of: path)
        return PathHandle(path: above, descriptor: try Self.opened(descriptor, "..", above))
    }

    package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor, path) }

    /// The user whose program serves the file system that the file is on (FUSE). Such a program says what it likes of
    /// owners, permissions and contents. `nil` for all other file systems, 0 for one that the machine outside serves
    /// (virtiofs), as it serves a disk.
    package func servingUser() throws(SystemError) -> UInt32? {
        var fileSystem = statfs()
        guard fstatfs(descriptor, &fileSystem) == 0 else { throw SystemError(.inspect, path) }
        guard fileSystem.f_type == Self.fuse else { return nil }
        let device = UInt(try status().device)
        let name = "\(gnu_dev_major(device)):\(gnu_dev_minor(device))"
        guard let user = Self.server(ofDevice: name, in: Files.mountTable) else {
            throw SystemError(.inspect, path, .notPermitted)
        }
        return user
    }

    /// - Parameters:
    ///   - device: The file system's device, such as `0:39`.
    ///   - mounts: The table of mounts, as `/proc/self/mountinfo` has it.
    /// - Returns: `nil` if the table does not say it.
    static func server(ofDevice device: String, in mounts: String) -> UInt32? {
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // A dash stands before the kind of the file system.
            guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"),
                dash + 1 < fields.endIndex
            else { continue }
            guard fields[dash + 1].hasPrefix("fuse") else { return 0 }
            for option in fields[fields.endIndex - 1].split(separator: ",") {
                let parts = option.split(separator: "=")
                if parts.count == 2, parts[0] == "user_id" { return UInt32(parts[1]) }
            }
        }
        return nil
    }

    /// `FUSE_SUPER_MAGIC` of `<linux/magic.h>`.
    private static let fuse = 0x6573_5546

    package func linkTarget() throws(SystemError) -> String {
        // An empty name stands for the link that the descriptor holds.
        try Files.linkTarget(at: descriptor, "", path: path)
    }

    /// The path by which the system finds the very file that is held.
    package var ownPath: String { Self.ownPath(of: descriptor) }

    /// The path by which the system finds the very file that a descriptor of this process holds.
    package static func ownPath(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Opens the file for reading, as `OpenFile.init(reading:)` does.
    package func openFile() throws(SystemError) -> OpenFile {
        let opened = open(ownPath, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError(.open, path) }
        return OpenFile(descriptor: opened, path: path)
    }

    package func openFolder() throws(SystemError) -> OpenFolder {
        let opened = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError(.list, path) }
        return OpenFolder(descriptor: opened, path: path)
    }

    /// The bytes of an extended attribute of the file; `nil` if the file has none of that name, or its
    /// file system keeps none.
    package static func attribute(_ name: String, of path: String) throws(SystemError) -> [UInt8]? {
        // The system limits an attribute to this size.
        let capacity = 64 << 10
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            count = getxattr(path, name, buffer.baseAddress, UInt(capacity))
            filled = max(0, count)
        }
        if count >= 0 { return bytes }
        guard errno == ENODATA || errno == EOPNOTSUPP else { throw SystemError(.inspect, path) }
        return nil
    }
}
