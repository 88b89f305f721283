// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Who may own a file, and who may write it: root or the user, and nobody else.
package enum TrustRule {
    /// What speaks against a file or directory; `nil` if nothing does.
    package static func fault(of status: FileStatus, at place: TrustPlace) -> TrustError? {
        owner(status, place) ?? writable(status, place)
    }

    static func owner(_ status: FileStatus, _ place: TrustPlace) -> TrustError? {
        status.owner == 0 || status.owner == Accounts.current ? nil : .owner(place, status.owner)
    }

    /// A group that is the owner's alone writes with the owner's hand: where each user has such a
    /// group, files are made writable by it, and nobody means anything by that.
    static func writable(_ status: FileStatus, _ place: TrustPlace) -> TrustError? {
        let others = status.mode & 0o022
        if others == 0 { return nil }
        if others == 0o020, Accounts.isPrivate(group: status.group, of: status.owner) {
            return nil
        }
        return .writable(place, mode: status.mode, group: status.group)
    }
}
