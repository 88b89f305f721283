// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesBuild
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesSystem
import Synchronization

/// Modules that are built from folders beside their files: builds what is missing or stale of those
/// that are about to be loaded.
///
/// A file that somebody else put there stays: whoever drops a module in wants that one.
final class FolderSource: ModuleSource {
    private let manifest: Manifest
    private let terminal: Terminal
    /// Made when there is something to look at: where modules come without sources, never.
    private let builder = Mutex<Builder?>(nil)
    /// The modules that were told of already.
    private let foreign = Mutex<Set<String>>([])

    init(manifest: Manifest, terminal: Terminal) {
        self.manifest = manifest
        self.terminal = terminal
    }

    func freshen(_ modules: [CatalogEntry]) throws -> Bool {
        let requests = modules.filter(\.isEnabled).compactMap { $0.request(nil) }
        guard !requests.isEmpty else { return false }
        let builder = sharedBuilder()
        let due = requests.filter { isDue($0, builder) }
        guard !due.isEmpty else { return false }
        try checkTrust(of: due)
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        let errors = builder.build(due, report: progress.show).compactMap(\.error)
        guard errors.isEmpty else { throw BuildFailure(errors: errors) }
        return true
    }

    /// What is built here is loaded next: who can write the sources says what runs.
    private func checkTrust(of requests: [BuildRequest]) throws {
        let check = TrustCheck(manifest)
        let faults = requests.compactMap { check.error(ofSources: $0.folder) }
        guard faults.isEmpty else { throw InspectFault(diagnostics: faults.map(\.diagnostic)) }
    }

    private func sharedBuilder() -> Builder {
        builder.withLock { builder in
            if let builder { return builder }
            let made = Builder(
                forHost: HostExecutable.path, store: manifest.store,
                usesColor: terminal.isColored)
            builder = made
            return made
        }
    }

    private func isDue(_ request: BuildRequest, _ builder: Builder) -> Bool {
        switch builder.freshness(of: request) {
        case .fresh:
            return false
        case .missing, .stale:
            return true
        case .foreign:
            let isNews = foreign.withLock { $0.insert(request.id).inserted }
            guard isNews else { return false }
            terminal.warn(
                Diagnostic(
                    "\(request.id): taking \(Path.relative(request.output, to: Path.current)) as "
                        + "it is: it was not built here from "
                        + Path.relative(request.folder, to: Path.current),
                    fix: "if it should be, run 'eaves build \(request.id)'", code: .badData))
            return false
        }
    }
}
