// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesLife
import EavesLoader
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust
import Synchronization

/// Notes for the quarantine which module made a process crash that loads modules, or ended it.
struct CrashRecorder: Sendable {
    private static let isInstalled = Mutex(false)

    /// Installs the handlers, unless an earlier host of this process has: signals are the process's own, so
    /// the crashes of all its modules go to the store of the first manifest.
    init(_ manifest: Manifest) {
        let isFirst = Self.isInstalled.withLock { isInstalled in
            defer { isInstalled = true }
            return !isInstalled
        }
        guard isFirst else { return }
        CrashWatch.begin()
        // If the folder cannot be opened, nothing is logged, and nothing else changes.
        let project = try? manifest.store.openProject().duplicate()
        CrashWatch.log(
            into: QuarantineStore.log, QuarantineStore.folder, Store.name, of: project ?? -1)
    }

    func expect(_ entry: CatalogEntry, from copy: PrivateCopy) {
        // If the module crashes from here on, the log has it under this line.
        CrashWatch.expect(
            entry.id, entry.path, from: copy.ownPath, named: Path.name(of: copy.path),
            isInterface: entry.declaration?.layer == .interface,
            logEntry: CrashLogEntry.beginning(entry.suspect, copy.digest))
    }

    /// Takes note of a feature that is being launched, until the result is called.
    static func noteLaunch(of feature: String) -> () -> Void {
        guard isInstalled.withLock({ $0 }) else { return {} }
        let json = JSON.string(feature).text(pretty: false)
        let number = CrashWatch.beginLaunch(of: feature, json: json)
        return { CrashWatch.endLaunch(number) }
    }
}

extension Manifest {
    /// The manifest without the bindings to modules that have crashed on probation, in an earlier process. They are taken
    /// back in the file, too.
    ///
    /// - Parameter tell: A function that gets each of them.
    func settled(telling tell: (HostEvent) -> Void) -> Manifest {
        let quarantine = QuarantineStore(store)
        guard quarantine.hasTrials else { return self }
        // The catalog reads it once more, and tells what is wrong with it, except that a log was moved aside now.
        var errors: [QuarantineError] = []
        _ = quarantine.read(&errors)
        for error in errors {
            if case .damagedLog = error { tell(.warned(error.diagnostic)) }
        }
        let failed = (try? quarantine.takeFailedTrials()) ?? []
        for trial in failed {
            guard let service = trial.service, let reason = trial.failure else { continue }
            var problems: [Diagnostic] = []
            var swap: ManifestEdit?
            do {
                swap = try ManifestEditor.edit(path) { editor in
                    try editor.retreat(
                        service, from: trial.module.id, to: trial.from, because: reason)
                }
            } catch {
                problems = HostError(error).problems
            }
            guard swap != nil || !problems.isEmpty else { continue }
            let retreat = HostChange.Retreat(
                module: trial.module.id, service: BindingKey(text: service).word.text,
                to: trial.from, reasons: [reason], isQuarantined: true, problems: problems)
            tell(.changed(.rolledBack(retreat)))
        }
        guard failed.contains(where: { $0.service != nil }),
            let changed = try? Manifest.load(path).choosing(choices)
        else { return self }
        return changed
    }
}
