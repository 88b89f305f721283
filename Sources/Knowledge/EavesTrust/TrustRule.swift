// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// The rule that says what makes a file untrusted: someone other than root or the user may have put
/// it there, or may change it.
///
/// 1. It belongs to someone who is neither root nor the user.
/// 2. Someone other than its owner can write it. A private group of the owner does not count.
/// 3. Rule 1 or 2 holds for a directory that its path leads through, from the root on, or rule 1 for
///    a link on the way. ``TrustWalk`` says what the sticky bit changes.
/// 4. It is a link in one of the manifest's directories that leads out of all of them, and the
///    manifest does not list it: ``TrustCheck/error(ofLink:leadingOutOf:)``.
///
/// A manifest can also demand a digest or a signature. Those depend on the content, not on who can
/// change the file: ``SignatureCheck``.
package enum TrustRule {
    /// Applies rules 1 and 2 to one file or directory; `nil` if it is trusted.
    ///
    /// - Parameter file: A path that leads to the file, to read its access control list where that
    ///   decides. The path of an open descriptor cannot be exchanged meanwhile.
    package static func error(
        of status: FileStatus, at place: TrustPlace, _ owners: TrustedOwners, seenAs file: String
    ) -> TrustError? {
        owner(status, place, owners) ?? writable(status, place, seenAs: file)
    }

    /// Rule 1.
    static func owner(
        _ status: FileStatus, _ place: TrustPlace, _ owners: TrustedOwners
    ) -> TrustError? {
        owners.contains(status.owner) ? nil : .owner(place, status.owner)
    }

    /// Rule 2.
    ///
    /// A group without other members than the owner gives the permission to no other user. Where each
    /// user has such a private group, new files are often writable by it. An access control list can
    /// still let others write then.
    private static func writable(
        _ status: FileStatus, _ place: TrustPlace, seenAs file: String
    ) -> TrustError? {
        guard status.isWritableByOthers else { return nil }
        guard status.isWritableByGroupAlone,
            Accounts.isPrivate(group: status.group, of: status.owner)
        else { return .writable(place, mode: status.mode, group: status.group) }
        do throws(SystemError) {
            return try AccessList(of: file)?.otherWriter(than: status.owner)
                .map { .accessList(place, $0) }
        } catch {
            return .unresolved(place, error)
        }
    }
}

/// The users whose files count as the user's own: root, the user of this process, and perhaps the owner
/// of a folder that the user has said to trust.
package struct TrustedOwners: Hashable, Sendable {
    /// The owner of a folder that the user trusts; see ``ConsentList``.
    let consented: UInt32?

    /// Root and the user of this process.
    package static let own = TrustedOwners(consented: nil)

    package func contains(_ user: UInt32) -> Bool {
        FileStatus.isTrusted(owner: user) || user == consented
    }
}

/// A file or directory that has to be trusted.
package struct TrustPlace: Hashable, Sendable {
    /// The purpose of the file. Messages name it, and their advice depends on it.
    package enum Role: Hashable, Sendable {
        case module
        case library
        case tool
        case manifest
        case allowedSigners
        /// A list of keys whose signatures do not count any more.
        case revokedKeys
        case source
        /// A list of the folders of others that the user trusts.
        case consents
        case store
        /// A file that is about to be written, where other users may write, too.
        case output
        /// A folder in which Eaves makes folders of its own. As in `/tmp`, others may write it if they cannot
        /// exchange what is there.
        case workplace
        /// A directory, or a link, on the way to one of the others.
        case way
    }

    /// As an absolute path.
    package let path: String
    package let role: Role

    package init(_ path: String, _ role: Role) {
        self.path = path
        self.role = role
    }
}

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

    private struct Entry {
        let tag: UInt16
        let permissions: UInt16
        let id: UInt32
    }

    private static let attribute = "system.posix_acl_access"
    private static let version: UInt32 = 2
    private static let namedUser: UInt16 = 0x02
    private static let namedGroup: UInt16 = 0x08
    private static let mask: UInt16 = 0x10
    private static let write: UInt16 = 2

    private let entries: [Entry]

    /// Reads the list of a file.
    ///
    /// - Returns: `nil` if the file has no list.
    init?(of path: String) throws(SystemError) {
        guard let bytes = try PathHandle.attribute(Self.attribute, of: path) else { return nil }
        guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, Self.number(bytes, 0, 4) == Self.version
        else { throw SystemError(.inspect, path, .unsupported) }
        entries = stride(from: 4, to: bytes.count, by: 8).map { start in
            Entry(
                tag: UInt16(Self.number(bytes, start, 2)),
                permissions: UInt16(Self.number(bytes, start + 2, 2)),
                id: Self.number(bytes, start + 4, 4))
        }
    }

    /// The numbers are stored with the lowest byte first on every machine.
    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32 {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns a user or a group that the list lets write, other than root, the owner, and the owner's private
    /// group.
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
