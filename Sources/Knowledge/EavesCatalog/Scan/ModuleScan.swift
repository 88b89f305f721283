// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust

/// Makes catalog entries of what a survey has seen: the files, the sources that they are built from, who
/// can change them, which of several files with one id is used, what the manifest says of each module,
/// and which of them are kept out.
struct ModuleScan {
    private struct Origin {
        var isListedFile = false
        /// The directory that holds it, as an absolute path.
        var directory: String?
        /// Whether the directory's listing called it a regular file, and not a link.
        var isRegularFile = false
    }

    /// In the order of the manifest's directories, then of the names in each; after ``run()`` sorted by
    /// id, then by path.
    private(set) var entries: [CatalogEntry] = []
    /// One for each of ``entries``, until they are sorted.
    private var origins: [Origin] = []
    /// The modules of the manifest that are nowhere, if the scan leaves no file out.
    private(set) var unknown: [CatalogEntry] = []
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var findings: ScanFindings
    var quarantineDiagnostics: [Diagnostic] { findings.quarantine.errors.flatMap(\.diagnostics) }

    private let host: ScanningHost
    private var manifest: Manifest { host.manifest }
    private let survey: Survey
    /// The numbers of the files in the table to look into; `nil` for all.
    private let selection: Set<Int>?
    /// The check of the interfaces of files with one id, among which one is chosen; `nil` to take any.
    private var interfaceCheck: InterfaceCheck?
    private var indexByFile: [String: Int] = [:]

    init(
        _ survey: Survey, for host: ScanningHost, only selection: Set<Int>? = nil,
        knowing findings: ScanFindings, choosingBy interfaceCheck: InterfaceCheck? = nil
    ) {
        self.survey = survey
        self.interfaceCheck = interfaceCheck
        self.host = host
        self.selection = selection
        self.findings = findings
        diagnostics = survey.problems.map(\.diagnostic)
    }

    var indexByID: [String: Int] {
        var indexByID = [String: Int](minimumCapacity: entries.count)
        for (index, entry) in entries.enumerated() where entry.isUsed {
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
        if !host.standing.isEmpty { takeStanding() }
        applyManifest()
        applyQuarantine()
        noteSignatures()
        findings.quarantine.remember()
        entries = entries.ordered { ($0.id, $0.path) < ($1.id, $1.path) }
    }

    private mutating func add(_ entry: CatalogEntry, _ origin: Origin = Origin()) {
        entries.append(entry)
        origins.append(origin)
    }

    private mutating func addListedFiles() {
        let listed = manifest.modules.filter { $0.library != nil }
        for (listed, seen) in zip(listed, survey.listed) {
            let file = survey.name(seen)
            var entry = CatalogEntry(
                survey.content(seen, at: file), file: file, shownAs: shown(file),
                profile: host.profile)
            if let own = entry.note?.declaration.id, own != listed.id, entry.problem == nil {
                entry.problem = .otherID(own, manifest.place(of: listed))
            }
            entry.id = listed.id
            indexByFile[file] = entries.count
            add(entry, Origin(isListedFile: true))
        }
    }

    private mutating func addFiles(of directory: DirectorySurvey) {
        let listed = Set(
            zip(entries, origins).filter(\.1.isListedFile).compactMap(\.0.status?.node))
        let folder = shown(directory.path)
        let isBuiltFromSources = !directory.sources.isEmpty
        for seen in survey.files(of: directory, in: selection) {
            let name = survey.name(seen)
            let file = Path.join(directory.path, name)
            if !indexByFile.isEmpty, indexByFile[file] != nil { continue }
            var entry = CatalogEntry(
                survey.content(seen, at: file), file: file, shownAs: Path.join(folder, name),
                profile: host.profile)
            // A loaded module's file that another program writes over keeps its id until the new note can be read.
            if entry.note == nil, let held = host.held.first(where: { $0.value == file }) {
                entry.id = held.key
            }
            if case .unchanged(let number) = seen {
                entry.source = directory.folder(ofFile: number)
            }
            if !listed.isEmpty, let status = entry.status, listed.contains(status.node) { continue }
            if isBuiltFromSources { indexByFile[file] = entries.count }
            add(entry, Origin(directory: directory.path, isRegularFile: survey.kind(seen) == .file))
        }
    }

    private mutating func addSources(of directory: DirectorySurvey) {
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
            // A second folder for the same module, which the scan reports as a duplicate.
            let path = shown(Path.join(source.path, ModuleDeclaration.fileName))
            add(CatalogEntry(notBuilt: source, declaration, file: file, path: path))
        }
    }

    private mutating func add(_ source: SourceFolder, _ error: DeclarationError, file: String?) {
        // A module that was built before the mistake in `module.json` still runs.
        if let file, let index = indexByFile[file], entries[index].problem == nil {
            if entries[index].source == nil { entries[index].source = source.path }
            diagnostics += error.diagnostics
            return
        }
        let file = Path.join(source.path, ModuleDeclaration.fileName)
        let id = error.id ?? CatalogEntry.idGuess(for: source.path)
        var entry = CatalogEntry(id: id, path: shown(file), file: file)
        entry.source = source.path
        entry.problem = .declaration(error)
        indexByFile[file] = entries.count
        add(entry)
    }

    private func shown(_ path: String) -> String { manifest.shown(path) }

    /// Puts the modules that stand into the place of what the files say.
    private mutating func takeStanding() {
        for index in entries.indices.reversed() where host.standing[entries[index].id] != nil {
            entries.remove(at: index)
            origins.remove(at: index)
        }
        for entry in host.standing.values { add(entry) }
    }
}

/// The findings of a scan that concern more than single modules, and that the next scan takes over: a launch
/// scans for one module after the other.
struct ScanFindings: Sendable {
    var trust: ModuleTrust
    var quarantine: QuarantineCheck
    var lastGoodFiles: LastGoodFiles
    /// The state of the lists of signers; `nil` if the manifest demands no signatures.
    let signers: Int?

    init(_ manifest: Manifest) {
        trust = ModuleTrust(
            manifest.trust,
            directories: manifest.directories.map { Path.absolute($0, from: manifest.directory) })
        quarantine = QuarantineCheck(QuarantineStore(manifest.store))
        lastGoodFiles = LastGoodFiles(manifest)
        signers = manifest.signatures == .required ? manifest.signerLists.state : nil
    }
}

struct ScanningHost: Sendable {
    let manifest: Manifest
    let profile: HostProfile
    /// Modules that stand as they are, by their ids, whatever their files are now.
    let standing: [String: CatalogEntry]
    /// The files of loaded modules, by their ids.
    let held: [String: String]
    /// The closer look at a module's file that the scan has nothing against.
    let examination: ModuleExamination
}

// Applies three things to the modules that a scan found: the check of who can change them, the manifest and
// the quarantine.
extension ModuleScan {
    /// Marks the modules that another user may have put there, or may change.
    private mutating func checkTrust() {
        for index in entries.indices {
            guard let status = entries[index].status else { continue }
            let origin = origins[index]
            let error = findings.trust.error(
                of: entries[index].file, status, in: origin.directory,
                isRegularFile: origin.isRegularFile)
            if let error { entries[index].problem = .untrusted(error) }
        }
    }

    private mutating func applyManifest() {
        guard !manifest.modules.isEmpty else { return }
        let used = entries.indices.filter { entries[$0].isUsed }
        let indexByID = Dictionary(
            used.map { (entries[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        for listed in manifest.modules {
            if let index = indexByID[listed.id] {
                apply(listed, to: &entries[index])
            } else if selection == nil {
                // The scan leaves no file out, so the module is nowhere.
                var entry = unknownModule(listed, known: indexByID.keys.sorted())
                unknown.append(entry)
                apply(listed, to: &entry)
                add(entry)
            }
        }
    }

    private func apply(_ listed: ModuleEntry, to entry: inout CatalogEntry) {
        entry.settings = listed.settings
        entry.discardsState = listed.discardsState
        entry.sha256 = listed.sha256
        entry.isEnabled = listed.isEnabled
        entry.isIsolated = listed.isIsolated
        entry.limits = listed.limits
        entry.permissions = listed.permissions.absolute(from: manifest.directory)
        entry.permissions.changeable = manifest.modules.flatMap {
            $0.permissions.absolute(from: manifest.directory).write
        }
        if !listed.isEnabled { entry.problem = nil }
    }

    /// The entry of a module that was found nowhere, at the path where a file of it would be.
    private func unknownModule(_ listed: ModuleEntry, known: [String]) -> CatalogEntry {
        let folder = manifest.directories.first ?? ""
        let path = Path.join(folder, listed.id + DirectorySurvey.suffix)
        let file = Path.absolute(path, from: manifest.directory)
        var entry = CatalogEntry(id: listed.id, path: path, file: file)
        entry.problem = .unknownModule(manifest.place(of: listed), known: known)
        return entry
    }

    /// Marks the modules that crashed too often. What stands is loaded already.
    private mutating func applyQuarantine() {
        for index in entries.indices
        where entries[index].problem == nil && host.standing[entries[index].id] == nil {
            let record = findings.quarantine.obstacle(to: entries[index].suspect)
            guard let record else { continue }
            entries[index] = entries[index].keptOut(because: record, for: host, knowing: &findings)
        }
    }

    private mutating func noteSignatures() {
        guard let lists = findings.signers else { return }
        for index in entries.indices where host.standing[entries[index].id] == nil {
            let file = entries[index].loadedFile + SignatureCheck.suffix
            entries[index].seal = [lists, (try? Files.read(file)).hashValue].hashValue
        }
    }
}

// Which of several files with one id a host uses. Every question to the catalog, about one module or about
// all, is answered after this choice, so that all commands agree on it.
extension ModuleScan {
    /// Chooses among several files with one id: the one that the manifest lists, whatever is wrong with it,
    /// because its author asked for that very file. Else the one that the host has loaded, whatever it is now.
    /// Else the first one that a host would load, in the order of the directories and of the names in them.
    ///
    /// If a host would load none of them, the first one counts that a build would mend; else the first one
    /// that declares the id, since the id of a file that cannot be read is a guess by its name. An
    /// untrusted file comes last.
    private mutating func chooseAmongDuplicates() {
        for indices in groupsOfOneID() {
            let used = choice(among: indices)
            for index in indices where index != used {
                entries[index].isUsed = false
                // A file that could not be used anyway keeps the problem that says why.
                guard entries[index].problem == nil || entries[index].isNotBuilt else { continue }
                if !entries[index].isNotBuilt, !origins[used].isListedFile {
                    entries[used].rival = entries[used].rival ?? entries[index].path
                }
                entries[index].problem = .duplicateID(used: entries[used].path)
            }
        }
    }

    /// The indices of the entries that share an id with others, a list for each id.
    private func groupsOfOneID() -> [[Int]] {
        var first = [String: Int](minimumCapacity: entries.count)
        var groups: [String: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            guard let earlier = first[entry.id] else {
                first[entry.id] = index
                continue
            }
            groups[entry.id, default: [earlier]].append(index)
        }
        return Array(groups.values)
    }

    /// Looks closely at no more files than it takes to find one that a host would load.
    private mutating func choice(among indices: [Int]) -> Int {
        if let listed = indices.first(where: { origins[$0].isListedFile }) { return listed }
        let held = indices.first {
            entries[$0].file == host.held[entries[$0].id] && entries[$0].problem?.state != .missing
        }
        if let held { return held }
        for index in indices where entries[index].problem == nil {
            guard let problem = closerProblem(of: entries[index]) else { return index }
            entries[index].problem = problem
        }
        let order = indices.map { (rank: entries[$0].rankAmongUnusable, index: $0) }
        return order.min { $0 < $1 }?.index ?? indices[0]
    }

    /// The problem that the scan of a single file leaves to the launch: it takes more than a look at the
    /// header and the note to see it.
    private mutating func closerProblem(of entry: CatalogEntry) -> CatalogProblem? {
        let listed = manifest.entry(entry.id)
        if listed?.isEnabled == false { return nil }
        if let record = findings.quarantine.obstacle(to: entry.suspect) {
            return .quarantined(record)
        }
        var entry = entry
        // Interfaces are chosen by their own files alone, so that the modules that name them agree on them.
        if entry.declaration?.layer != .interface {
            interfaceCheck?.apply(to: &entry)
            if let problem = entry.problem { return problem }
        }
        entry.sha256 = listed?.sha256
        let problems = host.examination.problems(entry)
        return problems.isEmpty ? nil : .unloadable(problems)
    }
}

extension CatalogEntry {
    /// Among files that no host would load, the one with the lowest rank is used.
    fileprivate var rankAmongUnusable: Int {
        if case .untrusted = problem { return 3 }
        if isAvailable { return 0 }
        return note == nil ? 2 : 1
    }
}
