// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

/// All files that a manifest leads to, each looked at once. What is in those that are as they were
/// is in the cache, and is not taken apart before somebody asks.
struct ModuleSurvey: Sendable {
    /// The file of each of the manifest's modules that names its library, in its order.
    let listed: [SeenFile]
    /// In the order of the manifest.
    let directories: [ModuleDirectory]
    /// The directories that cannot be listed, in the order of the manifest.
    let faults: [ManifestFault]
    /// Whether a new cache would know more than the old one, or has something to forget.
    let isNews: Bool
    /// How many files had to be read.
    let readCount: Int
    let cache: CatalogCache?
    /// Whether files of directories are looked at only when they are asked for.
    let isNarrow: Bool

    /// - Parameters:
    ///   - cache: From an earlier run.
    ///   - now: The time, in nanoseconds since 1970.
    init(_ manifest: Manifest, cache: CatalogCache?, now: Int64) {
        var looks = FileLooks(cache: cache, now: now)
        self.cache = cache
        isNarrow = false
        listed = Self.listedFiles(manifest, &looks)
        var directories: [ModuleDirectory] = []
        var faults: [ManifestFault] = []
        for (index, name) in manifest.directories.enumerated() {
            let path = Path.absolute(name, from: manifest.directory)
            do throws(SystemError) {
                let directory = try ModuleDirectory(path, seenFrom: manifest.directory, &looks)
                directories.append(directory)
            } catch {
                if error.errno.meansMissing && !manifest.namesDirectories { continue }
                faults.append(.directory(name, manifest.place(ofDirectory: index), error))
            }
        }
        self.directories = directories
        self.faults = faults
        readCount = looks.readCount
        let known = cache?.directories.map(\.path) ?? []
        isNews = looks.isNews || known != [Self.listedPath] + directories.map(\.path)
    }

    /// Looks at the directories, and at none of their files before it is asked for.
    ///
    /// A file that was overwritten leaves its directory as it is, so nobody sees that it may by now
    /// provide what another one does. What is asked for is as it says all the same.
    ///
    /// - Returns: `nil` if the cache does not know the directories, and what the manifest lists, as
    ///   they are.
    init?(narrow manifest: Manifest, cache: CatalogCache) {
        let paths = manifest.directories.map { Path.absolute($0, from: manifest.directory) }
        guard cache.directories.map(\.path) == [Self.listedPath] + paths else { return nil }
        var looks = FileLooks(cache: cache, now: 0)
        listed = Self.listedFiles(manifest, &looks)
        var directories: [ModuleDirectory] = []
        for path in paths {
            guard
                let directory = ModuleDirectory(
                    narrow: path, seenFrom: manifest.directory, cache)
            else { return nil }
            directories.append(directory)
        }
        guard looks.readCount == 0 else { return nil }
        self.directories = directories
        self.cache = cache
        isNarrow = true
        faults = []
        isNews = false
        readCount = 0
    }

    /// Whether a file was asked for that is not as the cache has it, or the cache is damaged. Then what
    /// else there is has to be looked at, too.
    var isOutdated: Bool {
        cache?.isDamaged == true || directories.contains { $0.unseen?.isOutdated == true }
    }

    /// The files of a directory, without those that a selection leaves out.
    func files(of directory: ModuleDirectory, in selection: KeptFiles?) -> [SeenFile] {
        guard let selection else { return directory.files }
        return directory.unseen?.looked(at: selection)
            ?? directory.files.filter { !selection.leavesOut($0) }
    }

    /// Stands for a directory's path where a cache has the listed files.
    static let listedPath = ""

    private static func listedFiles(_ manifest: Manifest, _ looks: inout FileLooks) -> [SeenFile] {
        let paths = manifest.modules.compactMap(\.library).map {
            Path.absolute($0, from: manifest.directory)
        }
        // Absolute paths lead from any folder to the same file.
        guard !paths.isEmpty, let root = try? OpenFolder("/") else {
            return paths.map { .read(name: $0, kind: .unknown, ModuleFile($0)) }
        }
        var known = (looks.cached(listedPath)?.files ?? 0..<0)
        return paths.map { path in
            let entry = Folder.Entry(name: path, kind: .unknown)
            return looks.look(entry, knownAs: known.popFirst(), in: root)
        }
    }

    /// A file's name in its directory; the whole path of one that the manifest lists.
    func name(_ file: SeenFile) -> String {
        switch file {
        case .kept(let index): cache?.file(index).flatMap { cache?.name($0) } ?? ""
        case .read(let name, _, _): name
        }
    }

    func kind(_ file: SeenFile) -> FileStatus.Kind {
        switch file {
        case .kept(let index): cache?.file(index)?.kind ?? .unknown
        case .read(_, let kind, _): kind
        }
    }

    /// What a file says.
    ///
    /// - Parameter path: Where it is.
    func content(_ file: SeenFile, at path: String) -> ModuleFile {
        switch file {
        case .kept(let index):
            // Else it is read, as if it had not been kept.
            cache?.file(index).flatMap { cache?.content($0) } ?? ModuleFile(path)
        case .read(_, _, let content):
            content
        }
    }

    /// The places in the cache of the files that may be found under a key.
    func kept(_ key: CacheKey) -> [Int] { cache?.files(key) ?? [] }
}
