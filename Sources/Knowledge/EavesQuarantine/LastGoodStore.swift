// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
package import EavesTrust

/// The last good file of each module, in the store's folder `good`. A host that stays up keeps a copy there of each file
/// that has served and is judged no longer; where the module's own file is kept out, hosts load the copy.
///
/// A copy is called `users@DIGEST.so`, by the digest of its content, which is compared whenever the copy is used. The
/// signature that the file had stands next to it.
package struct LastGoodStore: Sendable {
    private let store: Store

    private static let folder = "good"
    private static let suffix = ".so"
    /// Only its owner can read a copy, and no user can write it.
    private static let mode: UInt32 = 0o500

    package init(_ store: Store) {
        self.store = store
    }

    /// Keeps a copy of a file, in the place of the one that was kept of the module before.
    ///
    /// - Parameters:
    ///   - signature: The content of the file's signature; `nil` if none was demanded.
    ///   - bytes: A function that returns the content of the file. Called unless a copy of that content is kept already.
    /// - Throws: `PlaceError` or `SystemError` if the store cannot be written, or whatever `bytes` throws. The earlier
    ///   copy is there then.
    package func keep(
        _ digest: SHA256Digest, of module: String, signature: [UInt8]?,
        _ bytes: () throws -> [UInt8]
    ) throws {
        let folder = try store.make(Self.folder)
        // Two hosts that keep different copies would else remove each other's.
        let lock = try FileLock(folder)
        defer { lock.hold {} }
        let prefix = Self.prefix(module)
        let name = prefix + digest.hex + Self.suffix
        if !folder.has(name) {
            // The signature first: a copy never lacks the one that it had.
            if let signature {
                try folder.replace(
                    name + SignatureCheck.suffix, with: signature, mode: 0o600, lasts: false)
            }
            // After a power cut the copy may be incomplete. Its digest shows that, so there is no need to wait for the disk.
            try folder.replace(name, with: bytes(), mode: Self.mode, lasts: false)
        }
        for other in try folder.names(startingWith: prefix) where !other.hasPrefix(name) {
            try folder.remove(other)
        }
    }

    /// The copy of a module's last good file; `nil` if there is none, if another user owns it or can write to it, or if
    /// its content is not what its name says.
    package func file(of module: String) -> LastGoodFile? {
        guard let folder = try? store.open(Self.folder),
            let names = try? folder.names(startingWith: Self.prefix(module))
        else { return nil }
        let copies = names.filter { $0.hasSuffix(Self.suffix) }
            .compactMap { copy(of: module, $0, in: folder) }
        // A process that ended while it kept a copy has left the one before as well.
        return copies.max { $0.since < $1.since }
    }

    private func copy(
        of module: String, _ name: String, in folder: borrowing OpenFolder
    ) -> LastGoodFile? {
        let hex = name.dropFirst(Self.prefix(module).count).dropLast(Self.suffix.count)
        guard let digest = SHA256Digest(hex: hex), let file = try? folder.file(name),
            let status = try? file.status(), status.kind == .file, status.isOwnedByUser,
            TrustCheck.own.error(
                of: status, at: TrustPlace(file.path, .store),
                seenAs: PathHandle.ownPath(of: file.descriptor)) == nil,
            (try? SHA256.digest(of: file)) == digest
        else { return nil }
        return LastGoodFile(
            path: Path.join(store.path(of: Self.folder), name), digest: digest,
            since: Int(status.modified / 1_000_000_000))
    }

    /// Returns the beginning of the names of a module's copies. Ids contain no `@`.
    private static func prefix(_ module: String) -> String { module + "@" }
}

/// A copy of the last file of a module that was good.
package struct LastGoodFile: Hashable, Sendable {
    /// An absolute path.
    package let path: String
    package let digest: SHA256Digest
    /// When the copy was made, in seconds since 1970.
    package let since: Int
}
