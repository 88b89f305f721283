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
            if identity.isSettled(at: observer.now) { observer.noteNews() }
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
        if let known, known.folders != folders { observer.noteNews() }
    }

    /// All files that are named like a shared object, sorted by the bytes of the names.
    var files: [SurveyedFile] { deferred?.files.map(SurveyedFile.unchanged) ?? looked }

    /// Returns the directory as the table keeps it, without its files.
    ///
    /// - Parameter start: A time before the directory was looked at, in nanoseconds since 1970.
    func state(since start: Int64) -> CatalogTable.Directory {
        CatalogTable.Directory(
            path: path, identity: identity.isSettled(at: start) ? identity : .none,
            folders: folders)
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
            declaration: source?.settledIdentity(since: observer.now) ?? .none,
            file: (try? source?.declaration.get().id).map { $0 + DirectorySurvey.suffix })
    }
}

/// The folders of which the table has all that matters: the file that is built from the sources, which says
/// itself what the module declares.
private struct KnownBuilds {
    private var folders: [String: FolderState] = [:]
    private var numbers: [String: Int] = [:]

    /// - Parameter files: The directory's files; `nil` if all are taken to be as the table has them.
    init(
        _ directory: CatalogTable.Directory?, _ files: [SurveyedFile]?, _ observer: FileObserver
    ) {
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

/// The files of a directory whose listing is as the table knows it. Each file is looked at when it is first asked for;
/// changes of it after that do not change the answer.
///
/// Safe from any thread.
final class DeferredFiles: Sendable {
    let files: Range<Int>
    private let folder: OpenFolder
    private let table: CatalogTable
    /// Whether the files that were asked for are as the table knows them, by their numbers.
    private let looks = Mutex<[Int: Bool]>([:])

    init(_ files: Range<Int>, in folder: consuming OpenFolder, _ table: CatalogTable) {
        self.files = files
        self.folder = folder
        self.table = table
    }

    /// Whether a file that was asked for is not as the table knows it.
    var isOutdated: Bool { looks.withLock { $0.values.contains(false) } }

    /// Returns the selected files, in the order of their names, without those that are not as the table knows them.
    func looked(at selection: Set<Int>) -> [SurveyedFile] {
        looks.withLock { looks in
            selection.filter(files.contains).sorted().filter { number in
                if let known = looks[number] { return known }
                let isSame = table.isCurrent(number, in: folder)
                looks[number] = isSame
                return isSame
            }.map(SurveyedFile.unchanged)
        }
    }
}
