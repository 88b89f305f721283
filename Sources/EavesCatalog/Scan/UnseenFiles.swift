// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The files of a directory whose listing is as the cache has it. Each is looked at when it is asked
/// for.
///
/// Safe from any thread.
final class UnseenFiles: Sendable {
    private let folder: OpenFolder
    private let files: Range<Int>
    private let cache: CatalogCache
    private let sawChange = Atomic(false)

    /// `nil` if the cache does not know the directory as it is, or not what all of its files say.
    init?(_ path: String, cache: CatalogCache) {
        guard let known = cache.directories.first(where: { $0.path == path }),
            let folder = try? OpenFolder(path), let status = try? folder.status(),
            known.identity == FileIdentity(status), known.files.allSatisfy(cache.hasContent)
        else { return nil }
        self.folder = folder
        files = known.files
        self.cache = cache
    }

    /// Whether a file was asked for that is not as the cache has it.
    var isOutdated: Bool { sawChange.load(ordering: .acquiring) }

    /// Those that are selected, without those that are not as the cache has them.
    func looked(at selection: KeptFiles) -> [SeenFile] {
        files.filter(selection.contains).compactMap { file in
            if cache.isCurrent(file, in: folder) { return .kept(file) }
            sawChange.store(true, ordering: .releasing)
            return nil
        }
    }
}
