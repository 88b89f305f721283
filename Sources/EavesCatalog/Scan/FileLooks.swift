// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Looks at files, with the cache at hand: what is as it was is not opened.
struct FileLooks {
    private let cache: CatalogCache?
    /// When the looking began, in nanoseconds since 1970.
    private let now: Int64
    /// Whether a new cache would know more than this one, or has something to forget.
    private(set) var isNews = false
    /// How many files had to be read.
    private(set) var readCount = 0

    init(cache: CatalogCache?, now: Int64) {
        self.cache = cache
        self.now = now
    }

    /// What the cache has of a directory.
    func cached(_ path: String) -> CachedDirectory? {
        cache?.directory(path)
    }

    /// The files of a directory whose listing is as it was.
    mutating func look(again known: CachedDirectory, in folder: borrowing OpenFolder) -> [SeenFile]
    {
        var seen: [SeenFile] = []
        seen.reserveCapacity(known.files.count)
        for index in known.files {
            if cache?.isCurrent(index, in: folder) == true {
                seen.append(.kept(index))
            } else if let file = cache?.file(index), let name = cache?.name(file) {
                let entry = Folder.Entry(name: name, kind: file.kind)
                seen.append(read(entry, in: folder, insteadOf: file))
            }
        }
        return seen
    }

    /// The files of a directory that was listed now.
    ///
    /// - Parameter identity: The directory's, from before it was listed.
    mutating func look(
        _ entries: [Folder.Entry], in folder: borrowing OpenFolder, _ identity: FileIdentity
    ) -> [SeenFile] {
        var known: [String: Int] = [:]
        for index in cached(folder.path)?.files ?? 0..<0 {
            if let name = cache?.file(index).flatMap({ cache?.name($0) }) { known[name] = index }
        }
        var seen: [SeenFile] = []
        seen.reserveCapacity(entries.count)
        for entry in entries {
            let index = known.removeValue(forKey: entry.name)
            seen.append(look(entry, knownAs: index, in: folder))
        }
        if !known.isEmpty || identity.isSettled(at: now) { isNews = true }
        return seen
    }

    /// One file, and its place in the cache if it has one.
    mutating func look(
        _ entry: Folder.Entry, knownAs index: Int?, in folder: borrowing OpenFolder
    ) -> SeenFile {
        guard let cache, let index, let file = cache.file(index) else {
            return read(entry, in: folder, insteadOf: nil)
        }
        // To Swift two names are equal that differ in how their letters are composed.
        let isSame = cache.name(file)?.utf8.elementsEqual(entry.name.utf8) == true
        if isSame, file.kind == entry.kind, cache.isCurrent(index, in: folder) {
            return .kept(index)
        }
        return read(entry, in: folder, insteadOf: file)
    }

    private mutating func read(
        _ entry: Folder.Entry, in folder: borrowing OpenFolder, insteadOf file: CachedFile?
    ) -> SeenFile {
        let content = ModuleFile(entry, in: folder)
        readCount += 1
        if file?.contentStart != nil || content.canBeKept(since: now) { isNews = true }
        return .read(name: entry.name, kind: entry.kind, content)
    }
}

extension ModuleFile {
    /// Whether a cache may keep it: it is a module, and nobody can change it unseen.
    ///
    /// - Parameter start: When nobody had read it yet, in nanoseconds since 1970.
    func canBeKept(since start: Int64) -> Bool {
        guard isWhole, let status else { return false }
        return FileIdentity(status).isSettled(at: start)
    }
}
