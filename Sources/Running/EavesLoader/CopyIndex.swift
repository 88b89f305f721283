// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The names in the folder of private copies, and the rule by which it cleans itself.
///
/// - `users@DIGEST.so` is a copy with the content of this digest.
/// - `users@IDENTITY` is a symbolic link that leads nowhere. Its text says that the file of this identity,
///   which stood at that path, has that digest: `DIGEST:Plugins/users.so`. A link is made in one step and
///   read in one system call, so a process that is killed leaves the old one, the new one, or none.
///
/// A link whose file has another identity by now says nothing any more. A copy goes when no link leads to it
/// and no process has it locked; a process that has loaded one holds a shared lock. Even if that rule erred,
/// no host would be harmed: a file without a name stays what it is for everybody who has it open.
struct CopyIndex {
    /// The store's folder, as an absolute path. Paths of files in it are noted relative to it, because a
    /// project can be moved, and has other paths in containers.
    let project: String

    /// A folder in which nothing was made for so long is cleaned by the next launch. In nanoseconds.
    private static let restTime: Int64 = 24 * 60 * 60 * 1_000_000_000
    private static let copySuffix = ".so"
    private static let digits = 64

    /// The folders that this process has cleaned. It need not do so again: a host that stays up makes its later
    /// copies in memory.
    private static let cleaned = Mutex<Set<String>>([])
    /// The folders whose age this process has looked at.
    private static let inspected = Mutex<Set<String>>([])

    /// The file name of a copy. Ids contain no `@`.
    static func copyName(id: String, _ digest: SHA256Digest) -> String {
        id + "@" + digest.hex + copySuffix
    }

    private static func linkName(id: String, _ status: FileStatus) -> String {
        id + "@" + FileIdentity(status).text
    }

    // MARK: Links

    /// The digest of a module's file in this state; `nil` if the folder does not know it.
    func digest(
        of status: FileStatus, id: String, in folder: borrowing OpenFolder
    ) -> SHA256Digest? {
        folder.target(ofLink: Self.linkName(id: id, status)).flatMap(Self.parse)?.digest
    }

    func note(
        _ digest: SHA256Digest, of status: FileStatus, at path: String, id: String,
        in folder: borrowing OpenFolder
    ) throws(SystemError) {
        let isInside = path.hasPrefix(project + "/")
        let place = isInside ? String(path.dropFirst(project.count + 1)) : path
        try folder.link(Self.linkName(id: id, status), to: digest.hex + ":" + place)
    }

    private static func parse(_ text: String) -> (digest: SHA256Digest, place: String)? {
        guard let digest = SHA256Digest(hex: text.prefix(digits)) else { return nil }
        let rest = text.dropFirst(digits)
        return rest.first == ":" ? (digest, String(rest.dropFirst())) : nil
    }

    // MARK: Cleaning

    func cleanOnce(_ folder: borrowing OpenFolder) {
        let path = folder.path
        if Self.cleaned.withLock({ $0.insert(path).inserted }) { clean(folder) }
    }

    /// Cleans a folder in which no copy was made for a day.
    func cleanIfOld(_ folder: borrowing OpenFolder, now: Int64) {
        guard Self.inspected.withLock({ $0.insert(folder.path).inserted }),
            let status = try? folder.status(), status.modified < now - Self.restTime
        else { return }
        clean(folder)
        // The next launch has no reason to look again, also if there was nothing to remove.
        try? folder.touch()
    }

    /// Removes the links that say nothing any more, the copies that no link leads to and no process uses, and the
    /// unfinished files of processes that were killed.
    func clean(_ folder: borrowing OpenFolder) {
        guard let entries = try? folder.entries() else { return }
        var used: Set<String> = []
        var copies: [String] = []
        for entry in entries {
            let name = entry.name
            if name.hasPrefix(".") || name.hasSuffix(Self.copySuffix) {
                copies.append(name)
            } else if let copy = copy(of: name, in: folder) {
                used.insert(copy)
            } else {
                try? folder.remove(name)
            }
        }
        for name in copies where !used.contains(name) {
            guard let file = try? folder.file(name), file.lockAlone() else {
                // Something else than a file: a link, or a folder, which stays.
                if (try? folder.status(link: name))?.kind == .link { try? folder.remove(name) }
                continue
            }
            try? folder.remove(name)
            // The lock lasts until the name is gone.
            withExtendedLifetime(file) {}
        }
    }

    /// The copy that a link leads to; `nil` if the link says nothing about any file that is there now.
    private func copy(of link: String, in folder: borrowing OpenFolder) -> String? {
        guard let at = link.firstIndex(of: "@"),
            let (digest, place) = folder.target(ofLink: link).flatMap(Self.parse),
            let status = try? FileStatus(path: Path.absolute(place, from: project))
        else { return nil }
        let id = String(link[..<at])
        return link == Self.linkName(id: id, status) ? Self.copyName(id: id, digest) : nil
    }
}
