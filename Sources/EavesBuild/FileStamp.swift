// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// What tells, without reading a file, that it is still the one it was.
///
/// Not the device: its number changes when a file system is mounted anew, which makes no file
/// somebody else's.
struct FileStamp: Hashable, Sendable {
    var inode: UInt64
    /// In bytes.
    var size: Int
    /// In nanoseconds since 1970.
    var modified: Int64

    init(_ status: FileStatus) {
        inode = status.inode
        size = status.size
        modified = status.modified
    }

    /// `nil` if the file cannot be looked at.
    init?(path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        self.init(status)
    }

    /// A stamp that no file has, if the file could change again without its time changing with it:
    /// then only its content can tell.
    ///
    /// File systems tick: in milliseconds, and the old ones in one or two seconds.
    func settled(at now: Int64) -> FileStamp {
        let tick: Int64 = modified % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        guard modified > now - tick else { return self }
        var unsettled = self
        unsettled.modified = 0
        return unsettled
    }
}

extension FileStamp {
    var json: JSON {
        [
            "inode": .string(String(inode)), "size": .integer(size),
            "modified": .integer(Int(modified)),
        ]
    }

    init?(_ node: JSONNode?) {
        guard let inode = node?["inode"]?.string.flatMap({ UInt64($0) }),
            let size = node?["size"]?.integer, let modified = node?["modified"]?.integer
        else { return nil }
        self.inode = inode
        self.size = size
        self.modified = Int64(modified)
    }
}
