// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// Looks at files with the cache at hand: opens no file that has not changed.
struct FileObserver {
    private let cache: CatalogCache?
    /// A time before the first look, in nanoseconds since 1970.
    private let now: Int64
    /// Whether a new cache would know more than this one, or has something to forget.
    private(set) var isNews = false
    /// How many files had to be read.
    private(set) var readCount = 0

    init(cache: CatalogCache?, now: Int64) {
        self.cache = cache
        self.now = now
    }

    /// The directory of this path, as the cache knows it.
    func cached(_ path: String) -> CachedDirectory? {
        cache?.directory(path)
    }

    /// The folders of a directory that has not changed which may hold sources.
    func subfolders(of known: CachedDirectory) -> [Folder.Entry] {
        known.subfolders.compactMap { cache?.subfolder($0) }
    }

    /// Notes whether a `module.json` of a directory is not as the cache knows it.
    mutating func note(_ sources: [String: SourceFolder], of known: CachedDirectory) {
        for number in known.subfolders {
            guard let cache, let folder = cache.subfolder(number) else { continue }
            let source = sources[Path.join(known.path, folder.name)]
            if cache.declarationIdentity(inSubfolder: number)
                != source?.settledIdentity(since: now) ?? .none
            {
                isNews = true
            }
        }
    }

    /// Looks at the files of a directory that has not changed.
    mutating func look(
        again known: CachedDirectory, in folder: borrowing OpenFolder
    ) -> [SurveyedFile] {
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(known.files.count)
        for number in known.files {
            if cache?.isCurrent(number, in: folder) == true {
                seen.append(.unchanged(number))
            } else if let file = cache?.file(number), let name = cache?.name(file) {
                let kind = FileStatus.Kind(number: file.kind) ?? .unknown
                seen.append(
                    read(Folder.Entry(name: name, kind: kind), in: folder, insteadOf: file))
            }
        }
        return seen
    }

    /// Looks at the files of a directory that was listed just now.
    ///
    /// - Parameter identity: The directory before it was listed.
    mutating func look(
        _ entries: [Folder.Entry], in folder: borrowing OpenFolder, _ identity: FileIdentity
    ) -> [SurveyedFile] {
        var known: [String: Int] = [:]
        for number in cached(folder.path)?.files ?? 0..<0 {
            if let name = cache?.file(number).flatMap({ cache?.name($0) }) { known[name] = number }
        }
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(entries.count)
        for entry in entries {
            let number = known.removeValue(forKey: entry.name)
            seen.append(look(entry, knownAs: number, in: folder))
        }
        if !known.isEmpty || identity.isSettled(at: now) { isNews = true }
        return seen
    }

    /// Looks at one file.
    ///
    /// - Parameter number: The number that the file may have in the cache.
    mutating func look(
        _ entry: Folder.Entry, knownAs number: Int?, in folder: borrowing OpenFolder
    ) -> SurveyedFile {
        guard let cache, let number, let file = cache.file(number) else {
            return read(entry, in: folder, insteadOf: nil)
        }
        // Swift takes two names for equal that differ in how their letters are composed; files do not.
        let isSame = cache.name(file)?.utf8.elementsEqual(entry.name.utf8) == true
        if isSame, file.kind == entry.kind.number, cache.isCurrent(number, in: folder) {
            return .unchanged(number)
        }
        return read(entry, in: folder, insteadOf: file)
    }

    private mutating func read(
        _ entry: Folder.Entry, in folder: borrowing OpenFolder, insteadOf file: CacheFileRow?
    ) -> SurveyedFile {
        let content = ModuleContent(entry, in: folder)
        readCount += 1
        let wasKept = file.map { $0.module != CacheFileRow.noModule } ?? false
        if wasKept || content.canBeKept(since: now) { isNews = true }
        return .read(name: entry.name, kind: entry.kind, content)
    }
}
