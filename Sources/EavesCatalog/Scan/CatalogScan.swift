// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesSystem

/// Makes modules of what a survey has seen, in three steps: the files, the sources that they are
/// built from, and what the manifest says of each.
struct CatalogScan {
    /// How a module was found.
    struct Finding {
        /// Whether the manifest lists this very file.
        var isListedFile = false
        /// Whether no other module of the same id goes before it.
        var isUsed = true
        /// The directory that it was found in, as an absolute path.
        var directory: String?
        /// Whether a directory listing called it a file, and so no link.
        var isPlain = false
    }

    /// What makes two names the same file.
    private struct Inode: Hashable {
        let device: UInt64
        let number: UInt64

        init(_ status: FileStatus) {
            device = status.device
            number = status.inode
        }
    }

    /// In the order of the manifest's directories, then of the names in each; after ``run()``
    /// sorted by id, then by path.
    var entries: [CatalogEntry] = []
    /// Of each of ``entries``.
    var findings: [Finding] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// What is wrong with the notes of the quarantine.
    var quarantineFaults: [Diagnostic] = []
    private var indexByFile: [String: Int] = [:]
    let manifest: Manifest
    private let profile: HostProfile
    private let survey: ModuleSurvey
    /// Which of the files that the cache knows are to be looked into; all if `nil`.
    private let selection: KeptFiles?
    /// Whether nothing is left out, so that what is not there is nowhere.
    var isWhole: Bool { selection == nil }

    init(
        _ survey: ModuleSurvey, manifest: Manifest, profile: HostProfile,
        only selection: KeptFiles? = nil
    ) {
        self.survey = survey
        self.manifest = manifest
        self.profile = profile
        self.selection = selection
        diagnostics = survey.faults.map(\.diagnostic)
    }

    /// The places of the modules that ids stand for.
    var indexByID: [String: Int] {
        var indexByID = [String: Int](minimumCapacity: entries.count)
        for (index, entry) in entries.enumerated() where findings[index].isUsed {
            indexByID[entry.id] = index
        }
        return indexByID
    }

    mutating func run() {
        addListedFiles()
        for directory in survey.directories { addFiles(of: directory) }
        for directory in survey.directories { addSources(of: directory) }
        checkTrust()
        chooseAmongDuplicates()
        applyManifest()
        applyQuarantine()
        sort()
    }

    private mutating func addListedFiles() {
        let listed = manifest.modules.filter { $0.library != nil }
        for (listed, seen) in zip(listed, survey.listed) {
            let file = survey.name(seen)
            var entry = CatalogEntry(
                survey.content(seen, at: file), file: file, shownAs: shown(file), profile: profile)
            if let own = entry.note?.declaration.id, own != listed.id, entry.problem == nil {
                entry.problem = .otherID(own, manifest.place(of: listed))
            }
            entry.id = listed.id
            indexByFile[file] = entries.count
            add(entry, Finding(isListedFile: true))
        }
    }

    private mutating func addFiles(of directory: ModuleDirectory) {
        let listed = Set(
            zip(entries, findings).filter(\.1.isListedFile).compactMap(\.0.status).map(Inode.init))
        let folder = shown(directory.path)
        let isBuiltFromSources = !directory.sources.isEmpty
        for seen in survey.files(of: directory, in: selection) {
            let name = survey.name(seen)
            let file = Path.join(directory.path, name)
            if !indexByFile.isEmpty, indexByFile[file] != nil { continue }
            let entry = CatalogEntry(
                survey.content(seen, at: file), file: file, shownAs: Path.join(folder, name),
                profile: profile)
            if !listed.isEmpty, let status = entry.status, listed.contains(Inode(status)) {
                continue
            }
            if isBuiltFromSources { indexByFile[file] = entries.count }
            add(
                entry,
                Finding(directory: directory.path, isPlain: survey.kind(seen) == .file))
        }
    }

    private mutating func addSources(of directory: ModuleDirectory) {
        for source in directory.sources {
            switch source.declaration {
            case .success(let declaration):
                add(source, declaration, file: directory.library(of: declaration.id))
            case .failure(let error):
                add(source, error, file: error.id.map(directory.library))
            }
        }
    }

    private mutating func add(
        _ source: SourceFolder, _ declaration: ModuleDeclaration, file: String
    ) {
        guard let index = indexByFile[file] else {
            let entry = CatalogEntry(notBuilt: source, declaration, file: file, path: shown(file))
            indexByFile[file] = entries.count
            return add(entry)
        }
        if entries[index].source == nil {
            entries[index].isBuilt(from: source, declaration)
        } else {
            // A second folder for the same module, which is reported as a duplicate.
            let path = shown(Path.join(source.path, ModuleDeclaration.fileName))
            add(CatalogEntry(notBuilt: source, declaration, file: file, path: path))
        }
    }

    private mutating func add(_ source: SourceFolder, _ error: DeclarationError, file: String?) {
        // What was built before somebody made a mistake in `module.json` still runs.
        if let file, let index = indexByFile[file], entries[index].problem == nil {
            diagnostics += error.diagnostics
            return
        }
        let file = Path.join(source.path, ModuleDeclaration.fileName)
        let id = error.id ?? CatalogEntry.idGuess(for: source.path)
        var entry = CatalogEntry(id: id, path: shown(file), file: file)
        entry.problem = .declaration(error)
        indexByFile[file] = entries.count
        add(entry)
    }

    mutating func add(_ entry: CatalogEntry, _ finding: Finding = Finding()) {
        entries.append(entry)
        findings.append(finding)
    }

    private func shown(_ path: String) -> String { manifest.shown(path) }

    private mutating func sort() {
        let isSorted = entries.indices.dropFirst().allSatisfy {
            !entries[$0].goesBefore(entries[$0 - 1])
        }
        // Most often files are named for their modules, and stand in this order already.
        if isSorted { return }
        let order = entries.indices.sorted { entries[$0].goesBefore(entries[$1]) }
        entries = order.map { entries[$0] }
        findings = order.map { findings[$0] }
    }
}

extension CatalogEntry {
    fileprivate func goesBefore(_ other: CatalogEntry) -> Bool {
        id == other.id ? path < other.path : id < other.id
    }
}
