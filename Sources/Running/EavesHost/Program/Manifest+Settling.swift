// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLife
import EavesManifest
import EavesQuarantine

extension Manifest {
    /// The manifest without the bindings to modules that have crashed on probation, in an earlier process. They are taken
    /// back in the file, too.
    ///
    /// - Parameter tell: A function that gets each of them.
    func settled(telling tell: (HostChange) -> Void) -> Manifest {
        let quarantine = QuarantineStore(store)
        guard quarantine.hasTrials else { return self }
        // The catalog reads it once more, and tells what is wrong with it.
        var errors: [QuarantineError] = []
        _ = quarantine.read(&errors)
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
            tell(
                .rolledBack(
                    HostChange.Retreat(
                        module: trial.module.id, service: BindingKey(text: service).word.text,
                        to: trial.from, reasons: [reason], isQuarantined: true,
                        problems: problems)))
        }
        guard failed.contains(where: { $0.service != nil }),
            let changed = try? Manifest.load(path).choosing(choices)
        else { return self }
        return changed
    }
}
