// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
package import EavesQuarantine

extension CatalogScan {
    /// Marks modules that crashed. Where none ever did, this is one system call.
    mutating func applyQuarantine() {
        let store = QuarantineStore(manifest.store)
        guard store.isThere else { return }
        var faults: [QuarantineError] = []
        var quarantine = store.read(&faults)
        quarantineFaults += faults.flatMap(\.diagnostics)
        let known = quarantine.contents
        for index in entries.indices where entries[index].problem == nil {
            guard let record = store.obstacle(to: entries[index].suspect, in: &quarantine) else {
                continue
            }
            entries[index].problem = .quarantined(record)
        }
        let learned = quarantine.contents.filter { known[$0.key] != $0.value }
        guard !learned.isEmpty else { return }
        // Where nothing can be written, the files are hashed again the next time, and that is all.
        try? store.remember(learned)
    }
}

extension CatalogEntry {
    /// The module, as the quarantine names it.
    package var suspect: SuspectModule { SuspectModule(id: id, path: path, file: file) }
}
