// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// What the file system says of a file.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case file, directory, pipe, socket, device, link, unknown
    }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int
    /// Last change of the content, in nanoseconds since 1970. Wraps after 2262.
    package var modified: Int64
    /// Last change of the content or the status, in nanoseconds since 1970. Wraps after 2262.
    package var changed: Int64
    package var owner: UInt32
    package var group: UInt32
    /// The permission bits.
    package var mode: UInt32

    package init(
        kind: Kind, device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64,
        owner: UInt32, group: UInt32, mode: UInt32
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Follows symbolic links.
    package init(path: String) throws(SystemError) {
        var status = stat()
        // Handed over as it is, each path would be copied to an array first.
        let result = path.withCString { stat($0, &status) }
        guard result == 0 else { throw SystemError(.inspect, path) }
        self.init(status)
    }

    /// Of a symbolic link, what is said of the link itself.
    package init(link path: String) throws(SystemError) {
        var status = stat()
        let result = path.withCString { lstat($0, &status) }
        guard result == 0 else { throw SystemError(.inspect, path) }
        self.init(status)
    }

    package init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            case S_IFCHR, S_IFBLK: .device
            case S_IFLNK: .link
            default: .unknown
            }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        owner = status.st_uid
        group = status.st_gid
        mode = UInt32(status.st_mode & 0o7777)
    }

    /// A file can say that it was changed in the year 3000, which is too much for 64 bits. It wraps:
    /// times are there to see that something has changed.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
