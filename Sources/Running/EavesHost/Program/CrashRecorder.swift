// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesJSON
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

    /// Takes note of a module that is about to be loaded.
    func expect(_ entry: CatalogEntry, from copy: PrivateCopy) {
        // If the module crashes from here on, the log has it under this line.
        CrashWatch.expect(
            entry.id, entry.path, from: copy.ownPath, named: Path.name(of: copy.path),
            isInterface: entry.declaration?.layer == .interface,
            logEntry: CrashLogEntry.beginning(entry.suspect, copy.digest))
    }

    /// Takes note of a feature that is being launched, until ``Launched/end()``.
    static func noteLaunch(of feature: String) -> Launched {
        guard isInstalled.withLock({ $0 }) else { return Launched(number: nil) }
        let json = JSON.string(feature).text(pretty: false)
        return Launched(number: CrashWatch.beginLaunch(of: feature, json: json))
    }

    /// A launch that was noted.
    struct Launched {
        /// `nil` if this process records no crashes.
        let number: Int?

        func end() {
            if let number { CrashWatch.endLaunch(number) }
        }
    }
}
