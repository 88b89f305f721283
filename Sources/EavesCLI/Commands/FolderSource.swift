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

/// Builds modules from their folders before `launch` and `validate --load` load them: those whose file is
/// missing, or older than its sources.
///
/// A file that `eaves build` did not write is used as it is: a person who drops in a module wants that
/// one. So is a good file that this machine cannot build anew. Both are told.
final class FolderSource: ModuleSource {
    private let manifest: Manifest
    private let terminal: Terminal
    /// Created when the first module with sources comes.
    private let builder = Mutex<Builder?>(nil)
    /// The ids of modules of which a warning was shown.
    private let reported = Mutex<Set<String>>([])

    init(manifest: Manifest, terminal: Terminal) {
        self.manifest = manifest
        self.terminal = terminal
    }

    func freshen(_ modules: [CatalogEntry]) throws -> Bool {
        var due: [(entry: CatalogEntry, request: BuildRequest)] = []
        for entry in modules where entry.isEnabled {
            guard let request = BuildRequest(entry, nil, manifest.trust), isDue(request) else {
                continue
            }
            due.append((entry, request))
        }
        guard !due.isEmpty else { return false }
        try checkTrust(of: due.map(\.request))
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        let results = sharedBuilder().build(due.map(\.request), report: progress.show)
        var isChanged = results.dropFirst(due.count).contains(where: \.isBuilt)
        var errors: [BuildError] = []
        for (module, result) in zip(due, results) {
            switch result.outcome {
            case .built: isChanged = true
            case .upToDate: break
            case .failed(let error) where module.entry.isUsable && error.leavesOldFileInUse:
                warn(of: module.request) { error.warning(using: $0, from: $1) }
            case .failed(let error): errors.append(error)
            }
        }
        // After them come the interface modules that were built for these.
        for result in results.dropFirst(due.count) {
            guard let error = result.error else { continue }
            if error.leavesOldFileInUse {
                warn(of: result.request) { error.warning(using: $0, from: $1) }
            } else {
                errors.insert(error, at: 0)
            }
        }
        guard errors.isEmpty else { throw CommandError.notBuilt(errors) }
        return isChanged
    }

    /// The modules whose files are missing or older than their sources.
    func outdated(among modules: [CatalogEntry]) -> [CatalogEntry] {
        modules.filter { entry in
            guard entry.isEnabled, let request = BuildRequest(entry, nil, manifest.trust) else {
                return false
            }
            switch sharedBuilder().freshness(of: request) {
            case .missing, .stale: return true
            case .fresh, .foreign: return false
            }
        }
    }

    /// Checks the owners and permissions of sources: a person who can write them decides what code
    /// runs, since the module is loaded right after the build.
    private func checkTrust(of requests: [BuildRequest]) throws(CommandError) {
        let problems = requests.compactMap(\.trustError)
        guard problems.isEmpty else { throw .untrustedSources(problems.map(\.diagnostic)) }
    }

    private func sharedBuilder() -> Builder {
        builder.withLock { builder in
            if let builder { return builder }
            let created = Builder(
                forHost: BuildCommand.executable, lookup: InterfaceLookup(in: manifest),
                usesColor: terminal.isColored)
            builder = created
            return created
        }
    }

    private func isDue(_ request: BuildRequest) -> Bool {
        switch sharedBuilder().freshness(of: request) {
        case .fresh:
            return sharedBuilder().hasOutdatedInterfaces(request)
        case .missing, .stale:
            return true
        case .foreign(let origin):
            warn(of: request) { file, folder in
                Diagnostic(
                    "\(request.id): using \(file) as it is: \(origin.words(about: folder))",
                    fix: "if it should be, run 'eaves build \(request.id)'", code: .badData)
            }
            return false
        }
    }

    /// Shows one warning about a module, however often its file is asked for.
    ///
    /// - Parameter warning: Gets the file and the folder as messages show them.
    private func warn(of request: BuildRequest, _ warning: (String, String) -> Diagnostic) {
        guard reported.withLock({ $0.insert(request.id).inserted }) else { return }
        let file = Path.relative(request.output, to: Path.current)
        let folder = Path.relative(request.folder, to: Path.current)
        terminal.warn(warning(file, folder))
    }
}

extension CatalogEntry {
    /// Whether the file can be loaded as it is, or would be if nothing kept it out.
    fileprivate var isUsable: Bool {
        status != nil && (problem == nil || state == .quarantined)
    }
}

extension Freshness.Origin {
    /// Why the file is not the one that the folder would make.
    fileprivate func words(about folder: String) -> String {
        switch self {
        case .unknown: "it was not built here from \(folder)"
        case .changed: "it was changed since it was built here from \(folder)"
        case .folder(let other):
            "it was built from \(Path.relative(other, to: Path.current)), not from \(folder)"
        }
    }
}

extension BuildResult {
    fileprivate var isBuilt: Bool {
        if case .built = outcome { true } else { false }
    }
}
