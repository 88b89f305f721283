// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesLoader
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust

/// Notes for the quarantine which module made a command crash that loads modules, or ended it.
struct LoadWatch: Sendable {
    /// Installs the handlers. Call it once, before a host is asked for anything.
    init(_ manifest: Manifest) {
        CrashWatch.begin()
        // If the folder cannot be opened, nothing is logged, and nothing else changes.
        let project = try? manifest.store.openProject().duplicate()
        CrashWatch.log(
            into: QuarantineStore.log, QuarantineStore.folder, Store.name, of: project ?? -1)
    }

    /// Takes note of what the host tells.
    func note(_ event: HostEvent) {
        guard case .loading(let entry, let file, let copy) = event else { return }
        // If the module crashes from here on, the log has it under this line.
        CrashWatch.expect(
            entry.id, entry.path, from: file,
            logEntry: CrashLogEntry.beginning(entry.suspect, entry.status, copy: copy))
    }
}
