// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// An open directory, and, if its listing is as the cache has it, whether each of its files is, too.
///
/// Any thread may help with the files. No thread waits for another one.
final class DirectoryLook: Sendable {
    private struct Progress {
        /// The first stretch of files that no thread has begun with.
        var next = 0
        /// Of each stretch, a bit for each file that is as it was. `nil` until a thread is through.
        var found: [UInt32?]
    }

    /// As many files as a mask has bits.
    private static let stretch = UInt32.bitWidth

    let folder: OpenFolder
    /// As it was before it was listed.
    let identity: FileIdentity
    /// What the cache has of it; `nil` if that has changed.
    let known: CachedDirectory?
    private let cache: CatalogCache?
    private let progress: Mutex<Progress>

    init(_ path: String, cache: CatalogCache?) throws(SystemError) {
        let folder = try OpenFolder(path)
        let identity = FileIdentity(try folder.status())
        let known = cache?.directories.first { $0.path == path }
        let isSame = known?.identity == identity
        let count = isSame ? known?.files.count ?? 0 : 0
        let stretches = (count + Self.stretch - 1) / Self.stretch
        self.folder = folder
        self.identity = identity
        self.known = isSame ? known : nil
        self.cache = cache
        progress = Mutex(Progress(found: Array(repeating: nil, count: stretches)))
    }

    /// Looks at files until each of them is, or is being, looked at.
    func help() {
        while true {
            let claimed = progress.withLock { progress -> Int? in
                guard progress.next < progress.found.count else { return nil }
                defer { progress.next += 1 }
                return progress.next
            }
            guard let claimed else { return }
            let mask = look(at: claimed)
            progress.withLock { $0.found[claimed] = mask }
        }
    }

    /// Which of the files are as they were, by their order in the listing.
    func current() -> [Bool] {
        guard let known else { return [] }
        help()
        let found = progress.withLock { $0.found }
        // What another thread has not finished is done again: that thread may not be running.
        let masks = found.indices.map { found[$0] ?? look(at: $0) }
        return (0..<known.files.count).map {
            masks[$0 / Self.stretch] >> ($0 % Self.stretch) & 1 == 1
        }
    }

    private func look(at stretch: Int) -> UInt32 {
        guard let cache, let known else { return 0 }
        let first = known.files.lowerBound + stretch * Self.stretch
        let end = min(first + Self.stretch, known.files.upperBound)
        var mask: UInt32 = 0
        for file in first..<end where cache.isCurrent(file, in: folder) {
            mask |= 1 << (file - first)
        }
        return mask
    }
}
