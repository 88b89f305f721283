// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust

// Which of the modules that a scan found a host may use: who can change them, which of several with one
// id is used, what the manifest says, and which are in quarantine.
extension ModuleScan {
    /// Marks the modules that another user may have put there, or may change.
    ///
    /// Each directory is looked at once. A regular file in it needs no further system call: the survey
    /// has its status.
    mutating func checkTrust() {
        let check = TrustCheck(manifest)
        let manifestError = TrustCheck.error(of: manifest)
        // Modules of one directory stand together.
        var last: (directory: String, error: TrustError?)?
        var roots: [String]?
        for index in entries.indices {
            guard let status = entries[index].status else { continue }
            var error = manifestError
            if error == nil, let directory = origins[index].directory {
                if last?.directory != directory {
                    last = (directory, check.error(of: TrustPlace(directory, .way)))
                }
                error = last?.error
            }
            if error == nil, origins[index].isRegularFile {
                let place = TrustPlace(entries[index].file, .module)
                error = TrustRule.error(of: status, at: place)
            } else if error == nil {
                if roots == nil { roots = realDirectories }
                error =
                    escapeError(at: index, from: roots ?? [])
                    ?? check.error(of: TrustPlace(entries[index].file, .module))
            }
            if let error { entries[index].problem = .untrusted(error) }
        }
    }

    /// Refuses a link that leads out of all of the manifest's directories. A file that the manifest
    /// lists may be anywhere.
    private func escapeError(at index: Int, from roots: [String]) -> TrustError? {
        guard !origins[index].isListedFile else { return nil }
        return TrustCheck.error(ofLink: entries[index].file, leadingOutOf: roots)
    }

    /// The manifest's directories, without links.
    private var realDirectories: [String] {
        manifest.directories.compactMap {
            Files.resolved(Path.absolute($0, from: manifest.directory))
        }
    }

    /// Chooses among several modules with one id: the file that the manifest lists, else the first one in
    /// the order of its directories and of the names in them. The others become duplicates.
    ///
    /// The id of a file that cannot be read is a guess by its name. It takes no id away from a module that
    /// declares the id itself, and neither does a folder that was not built yet, nor an untrusted file.
    mutating func chooseAmongDuplicates() {
        for indices in groupsOfOneID() {
            let order = indices.map { (rank: rank($0), index: $0) }.sorted { $0 < $1 }
            let used = order[0].index
            for index in indices where index != used {
                origins[index].isUsed = false
                if entries[index].declaresItsID {
                    entries[index].problem = .duplicateID(used: entries[used].path)
                }
            }
        }
    }

    /// The indices of the entries that share an id with others.
    private func groupsOfOneID() -> [[Int]] {
        var first = [String: Int](minimumCapacity: entries.count)
        var groups: [String: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            if let earlier = first.updateValue(index, forKey: entry.id) {
                groups[entry.id, default: [earlier]].append(index)
            }
        }
        return Array(groups.values)
    }

    /// The entry with the lowest rank is used.
    private func rank(_ index: Int) -> Int {
        if origins[index].isListedFile { return 0 }
        if case .untrusted = entries[index].problem { return 4 }
        if entries[index].note != nil { return 1 }
        return entries[index].declaresItsID ? 2 : 3
    }

    /// Adds what the manifest says of each module.
    mutating func applyManifest() {
        guard !manifest.modules.isEmpty else { return }
        let used = entries.indices.filter { origins[$0].isUsed }
        let indexByID = Dictionary(
            used.map { (entries[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        for listed in manifest.modules {
            if let index = indexByID[listed.id] {
                apply(listed, to: &entries[index])
            } else if isWhole {
                var entry = unknownModule(listed, known: indexByID.keys.sorted())
                apply(listed, to: &entry)
                add(entry)
            }
        }
    }

    private func apply(_ listed: ModuleEntry, to entry: inout CatalogEntry) {
        entry.isListed = true
        entry.settings = listed.settings
        entry.sha256 = listed.sha256
        entry.isEnabled = listed.isEnabled
        if !listed.isEnabled {
            entry.problem = nil
        } else if listed.isolation == .process, entry.problem == nil {
            entry.problem = .cannotIsolate(manifest.place(of: listed))
        }
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

    /// Marks the modules that crashed too often. Where no module ever crashed, this is one system call.
    mutating func applyQuarantine() {
        let store = QuarantineStore(manifest.store)
        guard store.isThere else { return }
        var errors: [QuarantineError] = []
        var quarantine = store.read(&errors)
        quarantineDiagnostics += errors.flatMap(\.diagnostics)
        let known = quarantine.contents
        for index in entries.indices where entries[index].problem == nil {
            guard let record = store.obstacle(to: entries[index].suspect, in: &quarantine) else {
                continue
            }
            entries[index].problem = .quarantined(record)
        }
        let learned = quarantine.contents.filter { known[$0.key] != $0.value }
        guard !learned.isEmpty else { return }
        // If the store cannot be written, the next run hashes the files again, and that is all.
        try? store.remember(learned)
    }
}

extension CatalogEntry {
    /// Whether the module declares the id itself, so that it is no guess by the file's name.
    fileprivate var declaresItsID: Bool {
        switch problem {
        case .notBuilt: true
        case .untrusted: false
        default: note != nil
        }
    }
}
