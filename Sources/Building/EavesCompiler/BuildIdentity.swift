// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesSystem

/// Identifies one state of a file for builds: a ``FileIdentity`` without the device, whose number changes
/// when its file system is mounted again.
package struct BuildIdentity: Hashable, Sendable {
    /// Its device is always 0.
    private let file: FileIdentity

    package init(_ status: FileStatus) {
        self.init(FileIdentity(status))
    }

    /// `nil` if the file does not exist or cannot be looked at.
    package init?(path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        self.init(status)
    }

    init(_ identity: FileIdentity) {
        var file = identity
        file.device = 0
        self.file = file
    }

    /// This identity, or one that matches no file if a later change could leave the file's times as they
    /// are: the next look then compares the content.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    package func settled(at now: Int64) -> BuildIdentity {
        let isSettled = [file.modified, file.changed].allSatisfy {
            FileIdentity.isSettled($0, at: now)
        }
        return isSettled ? self : BuildIdentity(.none)
    }
}

extension BuildIdentity {
    package var json: JSON {
        [
            "inode": .string(String(file.inode)), "size": .integer(Int(file.size)),
            "modified": .integer(Int(file.modified)), "changed": .integer(Int(file.changed)),
        ]
    }

    /// `nil` if the value is missing or damaged.
    package init?(_ node: JSONNode?) {
        guard let inode = node?["inode"]?.string.flatMap({ UInt64($0) }),
            let size = node?["size"]?.integer, let modified = node?["modified"]?.integer,
            let changed = node?["changed"]?.integer
        else { return nil }
        file = FileIdentity(
            device: 0, inode: inode, size: Int64(size), modified: Int64(modified),
            changed: Int64(changed))
    }
}
