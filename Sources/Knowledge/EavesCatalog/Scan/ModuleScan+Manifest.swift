// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust

// Applies three things to the modules that a scan found: the check of who can change them, the manifest and
// the quarantine.
extension ModuleScan {
    /// Marks the modules that another user may have put there, or may change.
    mutating func checkTrust() {
        for index in entries.indices {
            guard let status = entries[index].status else { continue }
            let origin = origins[index]
            let error = findings.trust.error(
                of: entries[index].file, status, in: origin.directory,
                isRegularFile: origin.isRegularFile)
            if let error { entries[index].problem = .untrusted(error) }
        }
    }

    /// Adds what the manifest says of each module.
    mutating func applyManifest() {
        guard !manifest.modules.isEmpty else { return }
        let used = entries.indices.filter { entries[$0].isUsed }
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
        entry.discardsState = listed.discardsState
        entry.sha256 = listed.sha256
        entry.isEnabled = listed.isEnabled
        entry.isIsolated = listed.isIsolated
        entry.limits = listed.limits
        entry.permissions = listed.permissions.absolute(from: manifest.directory)
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
    mutating func applyQuarantine() {
        for index in entries.indices
        where entries[index].problem == nil && host.standing[entries[index].id] == nil {
            let record = findings.quarantine.obstacle(to: entries[index].suspect)
            guard let record else { continue }
            entries[index] = entries[index].keptOut(
                because: record, for: host, knowing: &findings)
        }
    }
}
