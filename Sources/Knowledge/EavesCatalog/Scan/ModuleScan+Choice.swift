// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest
import EavesQuarantine

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
    mutating func chooseAmongDuplicates() {
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
