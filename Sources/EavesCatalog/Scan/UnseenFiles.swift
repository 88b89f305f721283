// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The files of a directory whose listing is as the cache has it. Each is looked at when it is first
/// asked for; what happens to it later changes nothing any more.
///
/// Safe from any thread.
final class UnseenFiles: Sendable {
    private enum Look: UInt8 {
        case none
        case same
        case changed
    }

    private let folder: OpenFolder
    private let files: Range<Int>
    private let cache: CatalogCache
    /// Of each of the files.
    private let looks: Mutex<[Look]>

    /// `nil` if the cache does not know the directory as it is, or not what all of its files say.
    init?(_ known: CachedDirectory, in cache: CatalogCache) {
        guard let folder = try? OpenFolder(known.path), let status = try? folder.status(),
            known.identity == FileIdentity(status), known.isComplete
        else { return nil }
        self.folder = folder
        files = known.files
        self.cache = cache
        looks = Mutex(Array(repeating: .none, count: known.files.count))
    }

    /// Whether a file was asked for that is not as the cache has it.
    var isOutdated: Bool { looks.withLock { $0.contains(.changed) } }

    /// Those that are selected, without those that are not as the cache has them.
    func looked(at selection: KeptFiles) -> [SeenFile] {
        looks.withLock { looks in
            var seen: [SeenFile] = []
            for file in files where selection.contains(file) {
                let index = file - files.lowerBound
                if looks[index] == .none {
                    looks[index] = cache.isCurrent(file, in: folder) ? .same : .changed
                }
                if looks[index] == .same { seen.append(.kept(file)) }
            }
            return seen
        }
    }
}
