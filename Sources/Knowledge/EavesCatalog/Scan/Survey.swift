// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesManifest
import EavesSystem

/// The files that a manifest leads to, each looked at once: all of them, or, in directories that the table knows as
/// they are, those that are asked for.
///
/// Overwriting a file does not change its directory. So a survey that is not whole does not notice that an overwritten
/// file now provides what another file is known to provide; what it does answer is true of the files that it names.
struct Survey: Sendable {
    /// The file of each module whose library the manifest names, in the order of the manifest.
    let listed: [SurveyedFile]
    /// In the order of the manifest.
    let directories: [DirectorySurvey]
    /// The directories that cannot be listed, in the order of the manifest.
    let problems: [ManifestReferenceProblem]
    /// Whether a new table would know more than the old one, or has something to forget.
    let isNews: Bool
    /// The number of files that had to be read, because the table did not know them as they are.
    let readCount: Int
    private let table: CatalogTable?

    /// - Parameters:
    ///   - table: The table of an earlier run.
    ///   - now: The time, in nanoseconds since 1970.
    ///   - looksAtAll: Whether to look at every file, also in a directory that the table knows as it is.
    init(_ manifest: Manifest, table: CatalogTable?, now: Int64, looksAtAll: Bool) {
        var observer = FileObserver(
            table: table, now: now, looksAtAll: looksAtAll,
            trustsBuilds: manifest.modules.allSatisfy { $0.library == nil })
        self.table = table
        listed = Self.listedFiles(manifest, &observer)
        var directories: [DirectorySurvey] = []
        var problems: [ManifestReferenceProblem] = []
        for (index, name) in manifest.directories.enumerated() {
            let path = Path.absolute(name, from: manifest.directory)
            do throws(SystemError) {
                let directory = try DirectorySurvey(path, seenFrom: manifest.directory, &observer)
                directories.append(directory)
            } catch {
                if error.errno.meansMissing && !manifest.namesDirectories { continue }
                problems.append(.directory(name, manifest.place(ofDirectory: index), error))
            }
        }
        self.directories = directories
        self.problems = problems
        readCount = observer.readCount
        let known = table?.directories.map(\.path) ?? []
        isNews = observer.isNews || known != [Self.listedPath] + directories.map(\.path)
    }

    var isWhole: Bool { directories.allSatisfy { $0.deferred == nil } }

    /// Whether a file that was asked for is not as the table knows it. Then the other files may have changed too.
    var isOutdated: Bool { directories.contains { $0.deferred?.isOutdated == true } }

    /// The sum of all that the table says, and of the program that wrote it, if it knows every file as it is.
    var knownSum: UInt64? { isNews || isOutdated || readCount > 0 ? nil : table?.head.checksum }

    /// The path that stands for a directory where the table keeps the files that the manifest lists.
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
        var known = observer.table?.directory(listedPath)?.files ?? 0..<0
        return paths.map { path in
            let entry = Folder.Entry(name: path, kind: .unknown)
            return observer.look(entry, knownAs: known.popFirst(), in: root)
        }
    }
}

// Looking up the files.
extension Survey {
    /// Returns the files of a directory, without the unchanged ones that a selection leaves out. A file that was just
    /// read is never left out: no key leads to it.
    ///
    /// - Parameter selection: The numbers of files in the table; `nil` for all, if the survey is whole.
    func files(of directory: DirectorySurvey, in selection: Set<Int>?) -> [SurveyedFile] {
        guard let selection else { return directory.files }
        if let deferred = directory.deferred { return deferred.looked(at: selection) }
        return directory.files.filter { file in
            if case .unchanged(let number) = file { selection.contains(number) } else { true }
        }
    }

    /// The name of a file in its directory; for a file that the manifest lists, the whole path.
    func name(_ file: SurveyedFile) -> String {
        switch file {
        case .unchanged(let number): row(number).map { $0.1.name($0.0) } ?? ""
        case .read(let name, _, _): name
        }
    }

    /// The kind that the directory's listing gave.
    func kind(_ file: SurveyedFile) -> FileStatus.Kind {
        switch file {
        case .unchanged(let number):
            row(number).flatMap { FileStatus.Kind(number: $0.0.kind) } ?? .unknown
        case .read(_, let kind, _): kind
        }
    }

    func content(_ file: SurveyedFile, at path: String) -> ModuleContent {
        switch file {
        case .unchanged(let number):
            // A record that cannot be decoded is as good as none: the file is read.
            row(number).flatMap { $0.1.content($0.0) } ?? ModuleContent(path)
        case .read(_, _, let content): content
        }
    }

    private func row(_ number: Int) -> (CatalogTable.FileRow, CatalogTable)? {
        guard let table, let row = table.file(number) else { return nil }
        return (row, table)
    }

    func knownFiles(_ key: CatalogKey) -> [Int] { table?.files(key) ?? [] }

    /// Whether a module of this id is in one of the directories, as far as that is known without a look at its file.
    func knows(_ id: String) -> Bool {
        let known = knownFiles(.id(id))
        return directories.contains { directory in
            if directory.sources.contains(where: { $0.id == id }) { return true }
            if let files = directory.deferred?.files {
                return known.contains(where: files.contains)
            }
            return directory.files.contains { file in
                if case .unchanged(let number) = file { known.contains(number) } else { false }
            }
        }
    }
}

/// One of the manifest's directories: the modules in it, and the folders that modules are built from.
/// Other files do not matter.
struct DirectorySurvey: Sendable {
    static let suffix = ".so"

    /// An absolute path.
    let path: String
    /// The directory before it was listed.
    private let identity: FileIdentity
    /// The files, if they are looked at when they are asked for: the table knows the directory as it is.
    let deferred: DeferredFiles?
    private let looked: [SurveyedFile]
    /// The folders that may hold sources, sorted by the bytes of their names.
    private let folders: [FolderState]
    /// The folders with sources whose built file the table does not have as it is. Sorted by the bytes of their names.
    let sources: [SourceFolder]
    /// The folders with the other sources, by the numbers of the files that are built from them.
    private let foldersByFile: [Int: String]

    /// Lists the directory, unless the table knows it as it is.
    ///
    /// - Parameter base: The folder that messages name files from.
    init(
        _ path: String, seenFrom base: String, _ observer: inout FileObserver
    ) throws(SystemError) {
        let folder = try OpenFolder(path)
        self.path = path
        identity = FileIdentity(try folder.status())
        let known = observer.table?.directory(path)
        let names: [String]
        if let known, known.identity == identity, let table = observer.table {
            names = known.folders.map(\.name)
            let isDeferred = known.isComplete && !observer.looksAtAll
            deferred =
                isDeferred ? DeferredFiles(known.files, in: try folder.copy(), table) : nil
            looked = isDeferred ? [] : observer.look(known.files, in: folder)
        } else {
            // Hidden files are copies that are not finished.
            let entries = try folder.entries().filter { $0.name.utf8.first != UInt8(ascii: ".") }
            names = entries.filter { !$0.name.hasSuffix(Self.suffix) && $0.mayBeFolder }
                .map(\.name)
            deferred = nil
            looked = observer.look(
                entries.filter { $0.name.hasSuffix(Self.suffix) }, in: folder, known)
            if identity.isSettled(at: observer.now) { observer.isNews = true }
        }
        let builds = KnownBuilds(known, deferred == nil ? looked : nil, observer)
        var found = names.map { name in
            builds.folder(name, in: folder)
                ?? FoundFolder(name, SourceFolder(Path.join(path, name), seenFrom: base), observer)
        }
        let ids = Dictionary(grouping: found.indices, by: { found[$0].library })
        for index in found.indices {
            guard let library = found[index].library, ids[library, default: []].count > 1 else {
                continue
            }
            // The scan has to know both folders if two are for one module.
            let name = found[index].state.name
            found[index] = FoundFolder(
                name, SourceFolder(Path.join(path, name), seenFrom: base), observer)
            found[index].state.file = nil
        }
        folders = found.map(\.state)
        sources = found.compactMap(\.source)
        foldersByFile = Dictionary(
            found.compactMap { folder in folder.builtFile.map { ($0, folder.state.name) } },
            uniquingKeysWith: { first, _ in first })
        if let known, known.folders != folders { observer.isNews = true }
    }

    /// All files that are named like a shared object, sorted by the bytes of the names.
    var files: [SurveyedFile] { deferred?.files.map(SurveyedFile.unchanged) ?? looked }

    /// Returns the directory as the table keeps it, without its files.
    ///
    /// - Parameter start: A time before the directory was looked at, in nanoseconds since 1970.
    func state(since start: Int64) -> CatalogTable.Directory {
        CatalogTable.Directory(path: path, identity: identity.settled(at: start), folders: folders)
    }

    /// The path of the folder that a file is built from, if its sources are not among ``sources``.
    func folder(ofFile number: Int) -> String? {
        foldersByFile[number].map { Path.join(path, $0) }
    }

    /// The path that the module of an id is built to.
    func library(of id: String) -> String {
        Path.join(path, id + Self.suffix)
    }
}

/// A folder in one of the directories, which may hold the sources of a module.
struct FolderState: Hashable, Sendable {
    var name: String
    /// The `module.json` in the folder. `FileIdentity.none` if there is none, or it could change again unseen.
    var declaration = FileIdentity.none
    /// The name of the file that is built from the sources; `nil` if more than one folder may be meant, or the
    /// declaration is wrong.
    var file: String?
}

/// A folder of a directory, and the sources in it.
private struct FoundFolder {
    var state: FolderState
    /// `nil` if there are none, or ``builtFile`` is known.
    var source: SourceFolder?
    /// The number of the file that is built from the sources; `nil` if they had to be read.
    var builtFile: Int?
    /// The name of the file that the sources give their module.
    var library: String? {
        builtFile == nil ? source?.id.map { $0 + DirectorySurvey.suffix } : state.file
    }

    init(_ state: FolderState, builtFile: Int) {
        self.state = state
        self.builtFile = builtFile
    }

    init(_ name: String, _ source: SourceFolder?, _ observer: FileObserver) {
        self.source = source
        state = FolderState(
            name: name,
            declaration: (source?.status).map { FileIdentity($0).settled(at: observer.now) }
                ?? .none,
            file: (try? source?.declaration.get().id).map { $0 + DirectorySurvey.suffix })
    }
}

/// The folders of which the table has all that matters: the file that is built from the sources, which says
/// itself what the module declares.
private struct KnownBuilds {
    private var folders: [String: FolderState] = [:]
    private var numbers: [String: Int] = [:]

    /// - Parameter files: The directory's files; `nil` if all are taken to be as the table has them.
    init(_ directory: CatalogTable.Directory?, _ files: [SurveyedFile]?, _ observer: FileObserver) {
        guard let directory, let table = observer.table, observer.trustsBuilds else { return }
        let known = directory.folders.filter { $0.file != nil && $0.declaration != .none }
        if known.isEmpty { return }
        folders = Dictionary(known.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for file in files ?? directory.files.map(SurveyedFile.unchanged) {
            guard case .unchanged(let number) = file, let row = table.file(number) else { continue }
            numbers[table.name(row)] = number
        }
    }

    /// Looks at the status of a folder's `module.json`, and returns the folder if that and the built file are known.
    func folder(_ name: String, in directory: borrowing OpenFolder) -> FoundFolder? {
        guard let known = folders[name], let number = known.file.flatMap({ numbers[$0] }),
            let status = directory.status(of: Path.join(name, ModuleDeclaration.fileName)),
            FileIdentity(status) == known.declaration
        else { return nil }
        return FoundFolder(known, builtFile: number)
    }
}

/// A file that a manifest leads to, looked at once.
enum SurveyedFile: Sendable {
    /// The file is as it was when the table was written. Its number there.
    case unchanged(Int)
    /// The file is new, was changed, or does not hold a module.
    ///
    /// - Parameters:
    ///   - name: In its directory; for a file that the manifest lists, the whole path.
    ///   - kind: The kind that the directory's listing gave.
    indirect case read(name: String, kind: FileStatus.Kind, ModuleContent)
}

/// Looks at files with the table at hand: opens no file that has not changed.
struct FileObserver {
    let table: CatalogTable?
    /// A time before the first look, in nanoseconds since 1970.
    let now: Int64
    /// Whether every file is looked at, also in a directory that the table knows as it is.
    let looksAtAll: Bool
    /// Whether a built file may stand for its sources. A file that the manifest lists may have been built from any of them.
    let trustsBuilds: Bool
    /// Whether a new table would know more than this one, or has something to forget.
    var isNews = false
    private(set) var readCount = 0

    /// Looks at the files of a directory that has not changed.
    mutating func look(_ known: Range<Int>, in folder: borrowing OpenFolder) -> [SurveyedFile] {
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(known.count)
        for number in known {
            guard let table, let row = table.file(number) else { continue }
            let kind = FileStatus.Kind(number: row.kind) ?? .unknown
            seen.append(
                table.isCurrent(number, in: folder)
                    ? .unchanged(number)
                    : read(
                        Folder.Entry(name: table.name(row), kind: kind), in: folder, insteadOf: row)
            )
        }
        return seen
    }

    /// Looks at the files of a directory that was listed just now.
    ///
    /// - Parameter directory: The directory as the table knows it.
    mutating func look(
        _ entries: [Folder.Entry], in folder: borrowing OpenFolder,
        _ directory: CatalogTable.Directory?
    ) -> [SurveyedFile] {
        var known: [String: Int] = [:]
        for number in directory?.files ?? 0..<0 {
            if let table, let row = table.file(number) { known[table.name(row)] = number }
        }
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(entries.count)
        for entry in entries {
            let number = known.removeValue(forKey: entry.name)
            seen.append(look(entry, knownAs: number, in: folder))
        }
        if !known.isEmpty { isNews = true }
        return seen
    }

    /// Looks at one file.
    ///
    /// - Parameter number: The number that the file may have in the table.
    mutating func look(
        _ entry: Folder.Entry, knownAs number: Int?, in folder: borrowing OpenFolder
    ) -> SurveyedFile {
        guard let table, let number, let row = table.file(number) else {
            return read(entry, in: folder, insteadOf: nil)
        }
        // Swift takes two names for equal that differ in how their letters are composed; files do not.
        let isSame = table.name(row).utf8.elementsEqual(entry.name.utf8)
        if isSame, row.kind == entry.kind.number, table.isCurrent(number, in: folder) {
            return .unchanged(number)
        }
        return read(entry, in: folder, insteadOf: row)
    }

    private mutating func read(
        _ entry: Folder.Entry, in folder: borrowing OpenFolder,
        insteadOf row: CatalogTable.FileRow?
    ) -> SurveyedFile {
        let content = ModuleContent(entry, in: folder)
        readCount += 1
        let wasKept = row.map { $0.identity != .none } ?? false
        if wasKept || content.canBeKept(since: now) { isNews = true }
        return .read(name: entry.name, kind: entry.kind, content)
    }
}
