// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesManifest
import EavesSystem

/// All files that a manifest leads to, each looked at once. Files that have not changed stay in the cache
/// and are decoded only when somebody asks for them.
struct Survey: Sendable {
    /// The file of each module whose library the manifest names, in the order of the manifest.
    let listed: [SurveyedFile]
    /// In the order of the manifest.
    let directories: [DirectorySurvey]
    /// The directories that cannot be listed, in the order of the manifest.
    let problems: [ManifestReferenceProblem]
    /// Whether a new cache would know more than the old one, or has something to forget.
    let isNews: Bool
    /// How many files had to be read, because the cache did not know them as they are.
    let readCount: Int
    let cache: CatalogCache?
    /// Whether files in directories are looked at only when they are asked for.
    let isNarrow: Bool

    /// Looks at every file.
    ///
    /// - Parameters:
    ///   - cache: The cache of an earlier run.
    ///   - now: The time, in nanoseconds since 1970.
    init(_ manifest: Manifest, cache: CatalogCache?, now: Int64) {
        var observer = FileObserver(cache: cache, now: now)
        self.cache = cache
        isNarrow = false
        listed = Self.listedFiles(manifest, &observer)
        var directories: [DirectorySurvey] = []
        var problems: [ManifestReferenceProblem] = []
        for (index, name) in manifest.directories.enumerated() {
            let path = Path.absolute(name, from: manifest.directory)
            do throws(SystemError) {
                let directory = try DirectorySurvey(
                    path, seenFrom: manifest.directory, &observer)
                directories.append(directory)
            } catch {
                if error.errno.meansMissing && !manifest.namesDirectories { continue }
                problems.append(.directory(name, manifest.place(ofDirectory: index), error))
            }
        }
        self.directories = directories
        self.problems = problems
        readCount = observer.readCount
        let known = cache?.directories.map(\.path) ?? []
        isNews = observer.isNews || known != [Self.listedPath] + directories.map(\.path)
    }

    /// A narrow survey: looks at the directories, and at a file in them only when somebody asks for it,
    /// however many there are.
    ///
    /// Overwriting a file does not change its directory. So a narrow survey does not notice that an
    /// overwritten file now provides what another file is known to provide; what it does answer is true
    /// of the files that it names.
    ///
    /// - Returns: `nil` if the directories, or the files that the manifest lists, are not as the cache
    ///   knows them.
    init?(narrow manifest: Manifest, cache: CatalogCache) {
        let paths = manifest.directories.map { Path.absolute($0, from: manifest.directory) }
        guard cache.directories.map(\.path) == [Self.listedPath] + paths else { return nil }
        var observer = FileObserver(cache: cache, now: 0)
        listed = Self.listedFiles(manifest, &observer)
        var directories: [DirectorySurvey] = []
        for path in paths {
            guard
                let directory = DirectorySurvey(
                    narrow: path, seenFrom: manifest.directory, cache)
            else { return nil }
            directories.append(directory)
        }
        guard observer.readCount == 0 else { return nil }
        self.directories = directories
        self.cache = cache
        isNarrow = true
        problems = []
        isNews = false
        readCount = 0
    }

    /// Whether somebody asked for a file that is not as the cache knows it. Then the other files may
    /// have changed too.
    var isOutdated: Bool {
        directories.contains { $0.deferred?.isOutdated == true }
    }

    /// The path that stands for a directory where the cache keeps the files that the manifest lists.
    static let listedPath = ""

    private static func listedFiles(
        _ manifest: Manifest, _ observer: inout FileObserver
    ) -> [SurveyedFile] {
        let paths = manifest.modules.compactMap(\.library).map {
            Path.absolute($0, from: manifest.directory)
        }
        // An absolute path leads from any folder to the same file.
        guard !paths.isEmpty, let root = try? OpenFolder("/") else {
            return paths.map { .read(name: $0, kind: .unknown, ModuleContent($0)) }
        }
        var known = (observer.cached(listedPath)?.files ?? 0..<0)
        return paths.map { path in
            let entry = Folder.Entry(name: path, kind: .unknown)
            return observer.look(entry, knownAs: known.popFirst(), in: root)
        }
    }
}

// Looking up the files.
extension Survey {
    /// The files of a directory, without the unchanged ones that a selection leaves out.
    func files(of directory: DirectorySurvey, in selection: FileSelection?) -> [SurveyedFile] {
        guard let selection else { return directory.files }
        return directory.deferred?.looked(at: selection)
            ?? directory.files.filter { !selection.leavesOut($0) }
    }

    /// A file's name in its directory; for a file that the manifest lists, the whole path.
    func name(_ file: SurveyedFile) -> String {
        switch file {
        case .unchanged(let number): cache?.file(number).flatMap { cache?.name($0) } ?? ""
        case .read(let name, _, _): name
        }
    }

    /// The kind that the directory's listing gave.
    func kind(_ file: SurveyedFile) -> FileStatus.Kind {
        switch file {
        case .unchanged(let number):
            cache?.file(number).flatMap { FileStatus.Kind(number: $0.kind) } ?? .unknown
        case .read(_, let kind, _): kind
        }
    }

    /// The content of a file.
    ///
    /// - Parameter path: Where the file is.
    func content(_ file: SurveyedFile, at path: String) -> ModuleContent {
        switch file {
        case .unchanged(let number):
            // A row that cannot be decoded is as good as none: the file is read.
            cache?.file(number).flatMap { cache?.content($0) } ?? ModuleContent(path)
        case .read(_, _, let content):
            content
        }
    }

    /// The numbers of the cached files that a key leads to.
    func cachedFiles(_ key: CacheKey) -> [Int] { cache?.files(key) ?? [] }
}

/// A file that a manifest leads to, looked at once.
enum SurveyedFile: Sendable {
    /// The file is as it was when the cache was written. Its number there.
    case unchanged(Int)
    /// The file is new, was changed, or is no module.
    ///
    /// - Parameters:
    ///   - name: In its directory; for a file that the manifest lists, the whole path.
    ///   - kind: The kind that the directory's listing gave.
    indirect case read(name: String, kind: FileStatus.Kind, ModuleContent)
}

/// Some of the files that a cache knows.
struct FileSelection {
    private var isSelected: [Bool] = []
    private(set) var count = 0

    mutating func add(_ numbers: [Int]) {
        for number in numbers where !contains(number) {
            if number >= isSelected.count {
                isSelected += repeatElement(false, count: number + 1 - isSelected.count)
            }
            isSelected[number] = true
            count += 1
        }
    }

    func contains(_ number: Int) -> Bool {
        number < isSelected.count && isSelected[number]
    }

    /// Whether this file can be passed over. A file that was just read cannot: no key leads to it.
    func leavesOut(_ file: SurveyedFile) -> Bool {
        guard case .unchanged(let number) = file else { return false }
        return !contains(number)
    }
}
