// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem
import Synchronization

/// One of the manifest's directories: the modules in it, and the folders that modules are built from.
/// Other files do not matter.
struct DirectorySurvey: Sendable {
    static let suffix = ".so"

    /// An absolute path.
    let path: String
    /// The directory before it was listed.
    let identity: FileIdentity
    /// Everything that is named like a shared object, sorted by the bytes of the names. Empty in a narrow
    /// survey.
    let files: [SurveyedFile]
    /// The same files in a narrow survey.
    let deferred: DeferredFiles?
    /// The folders that may hold sources, sorted by the bytes of their names. Empty in a narrow survey.
    let subfolders: [Folder.Entry]
    /// Sorted by the bytes of their names. In a narrow survey, those of which the cache does not know enough.
    let sources: [SourceFolder]
    /// The numbers of the folders with the other sources, by those of the files that are built from them. Empty unless
    /// the survey is narrow.
    private let foldersByFile: [Int: Int]

    /// Looks at every file.
    ///
    /// - Parameter base: The folder that messages name files from.
    /// - Throws: If the directory cannot be listed.
    init(
        _ path: String, seenFrom base: String, _ observer: inout FileObserver
    ) throws(SystemError) {
        let folder = try OpenFolder(path)
        identity = FileIdentity(try folder.status())
        self.path = path
        deferred = nil
        foldersByFile = [:]
        let known = observer.cached(path)
        if let known, known.identity == identity {
            files = observer.look(again: known, in: folder)
            subfolders = observer.subfolders(of: known)
        } else {
            // Hidden files are copies that somebody has not finished.
            let entries = try folder.entries().filter { $0.name.utf8.first != UInt8(ascii: ".") }
            let modules = entries.filter { $0.name.hasSuffix(Self.suffix) }
            files = observer.look(modules, in: folder, identity)
            subfolders = entries.filter { !$0.name.hasSuffix(Self.suffix) && $0.mayBeFolder }
        }
        sources = subfolders.compactMap { SourceFolder(Path.join(path, $0.name), seenFrom: base) }
        if let known { observer.note(sourcesByPath, of: known) }
    }

    /// Looks at the directory, and at no file.
    ///
    /// - Parameter base: The folder that messages name files from.
    /// - Returns: `nil` if the directory is not as the cache knows it.
    init?(narrow path: String, seenFrom base: String, _ cache: CatalogCache) {
        guard let known = cache.directory(path), let identity = known.identity,
            let deferred = DeferredFiles(known, in: cache)
        else { return nil }
        self.path = path
        self.identity = identity
        self.deferred = deferred
        files = []
        subfolders = []
        var sources: [SourceFolder] = []
        var foldersByFile: [Int: Int] = [:]
        for number in known.subfolders {
            if let file = deferred.file(builtFromSubfolder: number) {
                foldersByFile[file] = number
            } else if let folder = cache.subfolder(number),
                let source = SourceFolder(Path.join(path, folder.name), seenFrom: base)
            {
                sources.append(source)
            }
        }
        self.sources = sources
        self.foldersByFile = foldersByFile
    }

    /// The path of the folder that a file of a narrow survey is built from, if its sources are not among ``sources``.
    func folder(ofFile number: Int) -> String? {
        foldersByFile[number].flatMap { deferred?.subfolder($0) }.map { Path.join(path, $0.name) }
    }

    var sourcesByPath: [String: SourceFolder] {
        Dictionary(sources.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The path that the module of an id is built to.
    func library(of id: String) -> String {
        Path.join(path, id + Self.suffix)
    }
}

/// The files of a directory whose listing is as the cache knows it. Each file is looked at when it is
/// first asked for; what happens to it later does not change the answer.
///
/// Safe from any thread.
final class DeferredFiles: Sendable {
    private enum Look: UInt8 {
        case none, same, changed
    }

    private struct Looks {
        /// One for each of the files.
        var looks: [Look]
        /// Whether one of them is ``Look/changed``.
        var hasChanged = false
    }

    private let folder: OpenFolder
    private let files: Range<Int>
    private let cache: CatalogCache
    private let looks: Mutex<Looks>

    /// - Returns: `nil` if the directory has changed, or the cache does not know what each file says.
    init?(_ known: CachedDirectory, in cache: CatalogCache) {
        guard let folder = try? OpenFolder(known.path), let status = try? folder.status(),
            known.identity == FileIdentity(status), known.isComplete
        else { return nil }
        self.folder = folder
        files = known.files
        self.cache = cache
        looks = Mutex(Looks(looks: Array(repeating: .none, count: known.files.count)))
    }

    /// The number of the file that the sources in a folder are built to, if the cache knows enough of them.
    func file(builtFromSubfolder number: Int) -> Int? {
        cache.file(builtFromSubfolder: number, in: folder)
    }

    func subfolder(_ number: Int) -> Folder.Entry? { cache.subfolder(number) }

    /// Whether somebody asked for a file that is not as the cache knows it.
    var isOutdated: Bool { looks.withLock { $0.hasChanged } }

    /// The selected files, without those that are not as the cache knows them.
    func looked(at selection: FileSelection) -> [SurveyedFile] {
        looks.withLock { state in
            var seen: [SurveyedFile] = []
            for file in files where selection.contains(file) {
                let index = file - files.lowerBound
                if state.looks[index] == .none {
                    let isSame = cache.isCurrent(file, in: folder)
                    state.looks[index] = isSame ? .same : .changed
                    if !isSame { state.hasChanged = true }
                }
                if state.looks[index] == .same { seen.append(.unchanged(file)) }
            }
            return seen
        }
    }
}
