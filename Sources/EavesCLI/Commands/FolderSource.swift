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

/// Builds modules from the folders next to their files before `launch` and `validate --load` load
/// them: those whose file is missing, or older than its sources.
///
/// A file that `eaves build` did not write is used as it is: a person who drops in a module wants that
/// one.
final class FolderSource: ModuleSource {
    private let manifest: Manifest
    private let terminal: Terminal
    /// Created when the first module with sources comes.
    private let builder = Mutex<Builder?>(nil)
    /// The ids of modules whose foreign file was reported.
    private let reported = Mutex<Set<String>>([])

    init(manifest: Manifest, terminal: Terminal) {
        self.manifest = manifest
        self.terminal = terminal
    }

    func freshen(_ modules: [CatalogEntry]) throws -> Bool {
        let requests = modules.filter(\.isEnabled).compactMap { BuildRequest($0, nil) }
        guard !requests.isEmpty else { return false }
        let builder = sharedBuilder()
        let due = requests.filter { isDue($0, builder) }
        guard !due.isEmpty else { return false }
        try checkTrust(of: due)
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        let errors = builder.build(due, report: progress.show).compactMap(\.error)
        guard errors.isEmpty else { throw CommandError.notBuilt(errors) }
        return true
    }

    /// Checks the owners and permissions of sources: a person who can write them decides what code
    /// runs, since the module is loaded right after the build.
    private func checkTrust(of requests: [BuildRequest]) throws(CommandError) {
        let problems = requests.compactMap { manifest.trust.error(ofSources: $0.folder) }
        guard problems.isEmpty else { throw .untrustedSources(problems.map(\.diagnostic)) }
    }

    private func sharedBuilder() -> Builder {
        builder.withLock { builder in
            if let builder { return builder }
            let created = Builder(
                forHost: BuildCommand.executable, store: manifest.store,
                usesColor: terminal.isColored)
            builder = created
            return created
        }
    }

    private func isDue(_ request: BuildRequest, _ builder: Builder) -> Bool {
        switch builder.freshness(of: request) {
        case .fresh:
            return false
        case .missing, .stale:
            return true
        case .foreign:
            let isNew = reported.withLock { $0.insert(request.id).inserted }
            if isNew { warnAboutForeignFile(of: request) }
            return false
        }
    }

    private func warnAboutForeignFile(of request: BuildRequest) {
        let file = Path.relative(request.output, to: Path.current)
        let folder = Path.relative(request.folder, to: Path.current)
        terminal.warn(
            Diagnostic(
                "\(request.id): using \(file) as it is: it was not built here from \(folder)",
                fix: "if it should be, run 'eaves build \(request.id)'", code: .badData))
    }
}
