// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The status of a file, as `stat` returns it.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case file, directory, pipe, socket, device, link, unknown
    }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int
    /// When the content changed last, in nanoseconds since 1970. Wraps after 2262.
    package var modified: Int64
    /// When the content or the status changed last, in nanoseconds since 1970. Wraps after 2262.
    package var changed: Int64
    package var owner: UInt32
    package var group: UInt32
    /// The permission bits, with set-user-id, set-group-id and sticky.
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

    /// Reads the status of the file that a path leads to. Follows symbolic links.
    package init(path: String) throws(SystemError) {
        var status = stat()
        // A string passed as it is would be copied to an array first.
        let result = path.withCString { stat($0, &status) }
        guard result == 0 else { throw SystemError(.inspect, path) }
        self.init(status)
    }

    /// Reads the status of the file at a path. Does not follow a symbolic link there.
    package init(link path: String) throws(SystemError) {
        var status = stat()
        let result = path.withCString { lstat($0, &status) }
        guard result == 0 else { throw SystemError(.inspect, path) }
        self.init(status)
    }

    package init(of descriptor: Int32, _ path: String) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, path) }
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

    /// Converts a time, and wraps if it is too large for 64 bits, as that of a file "changed" in
    /// the year 3000 is. Wrapping does no harm: times only have to show that something has changed.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension FileStatus {
    /// No larger file is read as a module or as a library, so that a wrong file cannot use up the memory or
    /// the disk. In bytes.
    package static let moduleSizeLimit = 1 << 30

    /// The permission bits that let the group and everybody else write.
    package static let writeBitsOfOthers: UInt32 = 0o022

    /// Whether users other than the owner may write the file, as members of its group or as
    /// anybody.
    package var isWritableByOthers: Bool { Self.isWritableByOthers(mode: mode) }

    /// Whether the members of the file's group may write it, and no other users besides the owner.
    package var isWritableByGroupAlone: Bool { mode & Self.writeBitsOfOthers == 0o020 }

    package var isOwnedByUser: Bool { owner == Accounts.current }

    package var isOwnedByTrustedUser: Bool { Self.isTrusted(owner: owner) }

    /// Whether this is a regular file of this process's user that no other user can write to.
    package var isOwnFile: Bool { kind == .file && isOwnedByUser && !isWritableByOthers }

    package static func isWritableByOthers(mode: UInt32) -> Bool { mode & writeBitsOfOthers != 0 }

    package static func isTrusted(owner: UInt32) -> Bool { owner == 0 || owner == Accounts.current }
}

extension FileStatus.Kind {
    /// The kinds in the order of their numbers.
    private static let order: [FileStatus.Kind] = [
        .unknown, .file, .directory, .pipe, .socket, .device, .link,
    ]

    /// A number that stands for the kind in a file. Zero is ``unknown``.
    package var number: UInt32 { UInt32(Self.order.firstIndex(of: self) ?? 0) }

    /// - Returns: `nil` for a number that stands for no kind.
    package init?(number: UInt32) {
        guard number < Self.order.count else { return nil }
        self = Self.order[Int(number)]
    }
}
