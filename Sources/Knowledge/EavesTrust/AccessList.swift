// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A POSIX access control list, which can let further users and groups write a file.
///
/// The permission bits of such a file show for its group what the list allows at most. So a list matters
/// only where the group's bit for writing is set and would otherwise be harmless.
///
/// The format is that of the kernel (`linux/posix_acl_xattr.h`): a version, and entries of 8 bytes with a
/// tag, permissions and the number of a user or group.
package struct AccessList {
    /// A user or a group that a list lets write.
    package enum Writer: Hashable, Sendable {
        case user(UInt32)
        case group(UInt32)
    }

    private static let attribute = "system.posix_acl_access"
    private static let version: UInt32 = 2
    private static let namedUser: UInt16 = 0x02
    private static let namedGroup: UInt16 = 0x08
    private static let mask: UInt16 = 0x10
    private static let write: UInt16 = 2

    private let entries: [(tag: UInt16, permissions: UInt16, id: UInt32)]

    /// Reads the list of a file.
    ///
    /// - Returns: `nil` if the file has no list.
    init?(of path: String) throws(SystemError) {
        guard let bytes = try PathHandle.attribute(Self.attribute, of: path) else { return nil }
        guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, Self.number(bytes, 0, 4) == Self.version
        else { throw SystemError(.inspect, path, .unsupported) }
        entries = stride(from: 4, to: bytes.count, by: 8).map { start in
            (
                UInt16(Self.number(bytes, start, 2)), UInt16(Self.number(bytes, start + 2, 2)),
                Self.number(bytes, start + 4, 4)
            )
        }
    }

    /// The numbers are stored with the lowest byte first on every machine.
    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32 {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns a user or a group that the list lets write, other than root, the owner, and the owner's private group.
    func otherWriter(than owner: UInt32) -> Writer? {
        let allowed = entries.first { $0.tag == Self.mask }?.permissions ?? Self.write
        for entry in entries where entry.permissions & allowed & Self.write != 0 {
            switch entry.tag {
            case Self.namedUser where entry.id != owner && entry.id != 0:
                return .user(entry.id)
            case Self.namedGroup where !Accounts.isPrivate(group: entry.id, of: owner):
                return .group(entry.id)
            default: break
            }
        }
        return nil
    }
}
