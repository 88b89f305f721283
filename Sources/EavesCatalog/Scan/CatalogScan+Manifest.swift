// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

extension CatalogScan {
    /// Of several modules with one id, the file that the manifest lists is used, else the first in
    /// the order of its directories and of the names in them. The others are said to be duplicates.
    ///
    /// A file that cannot be read has an id by its name only. It takes no id away from a module that
    /// says it of itself, and nor does a folder that nothing was built from yet, or a file that is not
    /// to be trusted.
    mutating func chooseAmongDuplicates() {
        for indices in groupsOfOneID() {
            let order = indices.map { (rank: rank($0), index: $0) }.sorted { $0 < $1 }
            let used = order[0].index
            for index in indices where index != used {
                findings[index].isUsed = false
                if entries[index].saysItsID {
                    entries[index].problem = .duplicateID(used: entries[used].path)
                }
            }
        }
    }

    /// The places of those that share an id with others.
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

    /// Brings in what the manifest says of each module.
    mutating func applyManifest() {
        guard !manifest.modules.isEmpty else { return }
        let used = entries.indices.filter { findings[$0].isUsed }
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

    /// A module that nothing was found of, at the place where it would be looked for.
    private func unknownModule(_ listed: ModuleEntry, known: [String]) -> CatalogEntry {
        let folder = manifest.directories.first ?? ""
        let path = Path.join(folder, listed.id + ModuleDirectory.suffix)
        let file = Path.absolute(path, from: manifest.directory)
        var entry = CatalogEntry(id: listed.id, path: path, file: file)
        entry.problem = .unknownModule(manifest.place(of: listed), known: known)
        return entry
    }

    /// The lower goes first.
    private func rank(_ index: Int) -> Int {
        if findings[index].isListedFile { return 0 }
        if case .untrusted = entries[index].problem { return 4 }
        if entries[index].note != nil { return 1 }
        return entries[index].saysItsID ? 2 : 3
    }
}

extension CatalogEntry {
    /// Whether the id is the module's own word, not a guess by the file's name.
    fileprivate var saysItsID: Bool {
        switch problem {
        case .notBuilt: true
        case .untrusted: false
        default: note != nil
        }
    }
}
