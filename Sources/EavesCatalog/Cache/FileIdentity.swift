// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// What tells, without reading a file, that it is still the one it was, with what was in it.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    /// In bytes.
    var size: Int64
    /// In nanoseconds since 1970.
    var modified: Int64
    /// In nanoseconds since 1970. Nobody can set this one back.
    var changed: Int64

    /// No file's.
    static let none = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

    init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, size: Int64(status.size),
            modified: status.modified, changed: status.changed)
    }

    /// Whether any further change gives the file other times than these.
    ///
    /// File systems tick, in milliseconds, and the old ones in one or two seconds: what was changed
    /// just now can be changed again within the same tick.
    ///
    /// - Parameter now: When nobody had read the file yet, in nanoseconds since 1970.
    func isSettled(at now: Int64) -> Bool {
        [modified, changed].allSatisfy { time in
            let tick: Int64 = time % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
            return time < now - tick
        }
    }
}
