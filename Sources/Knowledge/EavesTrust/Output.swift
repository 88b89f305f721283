// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A file that Eaves is about to write, with the folder that it is in held by a descriptor. Every file that is
/// written outside of the store, and outside of a build's own folders, is written through this door.
///
/// The way to it is followed as ``TrustWalk`` does. A link is followed only if no other user can have put it there:
/// in a folder that others can write, such as `/tmp`, it would otherwise make Eaves overwrite any file of the
/// user who runs it.
package struct Output: ~Copyable, Sendable {
    private let folder: OpenFolder
    private let name: String
    /// Whether other users can write the folder.
    private let isShared: Bool

    /// Follows the path, and opens the folder.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working directory. No file needs to be there.
    ///   - check: The users whose links are followed, besides root and the user of this process.
    package init(_ path: String, _ check: TrustCheck = .own) throws(PlaceError) {
        self = try TrustWalk.followOutput(Path.absolute(path), check.owners)
    }

    init(_ name: String, in folder: consuming OpenFolder, isShared: Bool) {
        self.folder = folder
        self.name = name
        self.isShared = isShared
    }

    /// Replaces the file in one step: readers see the old content or the new, never a part, also after a
    /// power cut. Refuses to replace anything other than a regular file.
    ///
    /// It keeps the permissions of the file that it replaces, and the owner where this process may set it. In a
    /// folder that others can write, that file may be theirs, so that the new one keeps nothing of it.
    package func replace(with bytes: some Collection<UInt8>) throws(PlaceError) {
        try PlaceError.wrapping(
            try folder.replaceFile(name, with: bytes, mode: 0o644, keepsStatus: !isShared))
    }
}
