// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The status of a file, as `stat` returns it.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case unknown, file, directory, pipe, socket, device, link
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
        kind = Kind(status.st_mode & S_IFMT)
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
    /// Identifies the file under all of its names.
    package var node: [UInt64] { [device, inode] }

    /// No larger file is read as a module or as a library, so that a wrong file cannot use up the memory or
    /// the disk. In bytes.
    package static let moduleSizeLimit = 1 << 30

    /// The permission bits that let the group and everybody else write.
    package static let writeBitsOfOthers: UInt32 = 0o022

    /// Whether users other than the owner may write the file, as members of its group or as anybody.
    package var isWritableByOthers: Bool { mode & Self.writeBitsOfOthers != 0 }

    /// Whether the members of the file's group may write it, and no other users besides the owner.
    package var isWritableByGroupAlone: Bool { mode & Self.writeBitsOfOthers == 0o020 }

    package var isOwnedByUser: Bool { owner == Accounts.current }

    /// Whether this is a regular file of this process's user that no other user can write to.
    package var isOwnFile: Bool { kind == .file && isOwnedByUser && !isWritableByOthers }
}

extension FileStatus.Kind {
    /// - Parameter format: The bits of a mode that say it: `S_IFREG` and the like.
    init(_ format: mode_t) {
        self =
            switch format {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            case S_IFCHR, S_IFBLK: .device
            case S_IFLNK: .link
            default: .unknown
            }
    }

    /// A number that stands for the kind in a file. Zero is ``unknown``.
    package var number: UInt32 { UInt32(Self.allCases.firstIndex(of: self) ?? 0) }

    /// - Returns: `nil` for a number that stands for no kind.
    package init?(number: UInt32) {
        guard number < Self.allCases.count else { return nil }
        self = Self.allCases[Int(number)]
    }
}

/// Identifies one state of a file: a file with the same identity as before is the same file with
/// the same content, and need not be read again.
package struct FileIdentity: Hashable, BitwiseCopyable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int64
    /// When the content changed last, in nanoseconds since 1970.
    package var modified: Int64
    /// When the content or the status changed last, in nanoseconds since 1970. No program can set this time back.
    package var changed: Int64

    /// An identity that no file has.
    package static let none = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    package init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, size: Int64(status.size),
            modified: status.modified, changed: status.changed)
    }

    /// Whether any later change is certain to give the file other times than these.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    package func isSettled(at now: Int64) -> Bool {
        Self.isSettled(modified, at: now) && Self.isSettled(changed, at: now)
    }

    /// This identity if any later change is certain to give the file another one; otherwise ``none``.
    package func settled(at now: Int64) -> FileIdentity { isSettled(at: now) ? self : .none }

    /// Whether any later change is certain to give a file another time than this one.
    ///
    /// The clocks of file systems tick in milliseconds, those of old file systems in one or two seconds: a file that
    /// changed just now can change again within the same tick and keep its times.
    private static func isSettled(_ time: Int64, at now: Int64) -> Bool {
        let tick: Int64 = time % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        return time < now - tick
    }
}

extension FileIdentity {
    /// The size, device, inode and both times in base 36, with `-` between them. Can be part of a file's name.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(5 * Self.maximumDigits)
        for number in [
            UInt64(bitPattern: size), device, inode, UInt64(bitPattern: modified),
            UInt64(bitPattern: changed),
        ] {
            if !text.isEmpty { text.append(UInt8(ascii: "-")) }
            Self.append(number, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The length of the longest number of 64 bits, with the `-` before it.
    private static let maximumDigits = 14

    /// Appends a number in base 36. `String(radix:)` is too slow here: five calls of it for each
    /// module that is loaded cost more than all other steps of making a copy.
    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            let digit = UInt8(rest % 36)
            text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            rest /= 36
        } while rest > 0
        text[start...].reverse()
    }
}

/// The clock whose time file systems put on files.
package enum WallClock {
    /// The time in nanoseconds since 1970.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time in seconds since 1970.
    package static var second: Int { Int(now / 1_000_000_000) }

    /// Formats a time for people: `2026-11-21 10:30:00 UTC`, or `2026-11-21 11:30:00` as the clock on the wall shows it here.
    ///
    /// - Parameter second: Counted since 1970.
    package static func text(of second: Int, isLocal: Bool = false) -> String {
        var (time, parts) = (time_t(second), tm())
        let isKnown = (isLocal ? localtime_r(&time, &parts) : gmtime_r(&time, &parts)) != nil
        guard isKnown else { return "second \(second)" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            // SAFETY: the buffer is not empty, and the text with its zero is shorter.
            let start = buffer.baseAddress!
            let format = "%Y-%m-%d %H:%M:%S" + (isLocal ? "" : " UTC")
            return strftime(start, 64, format, &parts) > 0
                ? String(cString: start) : "second \(second)"
        }
    }
}
