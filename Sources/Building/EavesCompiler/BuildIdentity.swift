// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesSystem

/// Identifies one state of a file for builds: a ``FileIdentity`` without the device, whose number changes
/// when its file system is mounted again.
package struct BuildIdentity: Hashable, Sendable {
    private let inode: UInt64
    private let size: Int64
    /// In nanoseconds since 1970.
    private let modified: Int64
    /// When the content or the status changed last, in nanoseconds since 1970. No program can set this
    /// time back.
    private let changed: Int64

    package init(_ status: FileStatus) {
        self.init(FileIdentity(status))
    }

    /// `nil` if the file does not exist or cannot be looked at.
    package init?(path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        self.init(status)
    }

    init(_ identity: FileIdentity) {
        inode = identity.inode
        size = identity.size
        modified = identity.modified
        changed = identity.changed
    }

    /// This identity, or one that matches no file if a later change could leave the file's times as they
    /// are: the next look then compares the content.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    package func settled(at now: Int64) -> BuildIdentity {
        let isSettled =
            FileIdentity.isSettled(modified, at: now) && FileIdentity.isSettled(changed, at: now)
        return isSettled ? self : BuildIdentity(.none)
    }
}

extension BuildIdentity {
    package var json: JSON {
        [
            "inode": .string(String(inode)), "size": .integer(Int(size)),
            "modified": .integer(Int(modified)), "changed": .integer(Int(changed)),
        ]
    }

    /// `nil` if the value is missing or damaged.
    package init?(_ node: JSONNode?) {
        guard let inode = node?["inode"]?.string.flatMap({ UInt64($0) }),
            let size = node?["size"]?.integer, let modified = node?["modified"]?.integer,
            let changed = node?["changed"]?.integer
        else { return nil }
        self.inode = inode
        self.size = Int64(size)
        self.modified = Int64(modified)
        self.changed = Int64(changed)
    }
}
