// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Why a file is not to be trusted: somebody else may have put it there, or may change it.
package enum TrustError: Error, Hashable, Sendable {
    /// Others than its owner can write it.
    case writable(TrustPlace, mode: UInt32, group: UInt32)
    /// It belongs to somebody who is neither root nor the user. A user's number.
    case owner(TrustPlace, UInt32)
    /// A link in one of the manifest's directories that leads out of all of them, and that the
    /// manifest does not list.
    case escapes(link: String, target: String)
    /// The way to it cannot be followed.
    case unresolved(TrustPlace, SystemError)
}
