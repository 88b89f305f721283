// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
public import EavesCatalog
public import EavesCompiler
public import EavesHost
public import EavesLife
import EavesManifest
import EavesSystem

extension Host {
    /// Compiles modules whose sources are here, and those only that are out of date. Loads none: a module
    /// that is loaded stays as it is in this process.
    ///
    /// The host tells of each module that is compiled, and of what the compiler prints. A module that does
    /// not compile keeps its old file, and does not stop the others.
    ///
    /// Blocks the thread until the compilers have ended. If a signal ends the process meanwhile, the
    /// compilers end with it.
    ///
    /// - Parameters:
    ///   - ids: The modules; all that have sources, if empty.
    ///   - configuration: Whether the compiler optimises.
    ///   - isForced: Whether to compile also what is up to date.
    /// - Returns: The ids of the modules that were compiled.
    /// - Throws: ``HostError`` with the problems of all modules that were not built, or if there is no module of an id.
    @discardableResult
    public func build(
        _ ids: [String] = [], configuration: BuildConfiguration = .debug,
        isForced: Bool = false
    ) throws(HostError) -> [String] {
        try HostError.wrapping {
            let entries = try ids.isEmpty ? catalog : ids.map { try entry($0) }
            var due: [(entry: CatalogEntry, request: BuildRequest)] = []
            for entry in entries {
                guard var request = BuildRequest(entry, configuration, manifest.trust) else {
                    if ids.isEmpty { continue }
                    throw BuildError(entry.id, .noSourcesHere(file: entry.path))
                }
                request.isForced = isForced
                due.append((entry, request))
            }
            let report = BuildReport(due.map(\.entry)) { self.report($0) }
            let results = Builder(in: manifest).build(due.map(\.request), report: report.tell)
            refresh()
            let errors = results.compactMap(\.error)
            guard errors.isEmpty else { throw BuildErrors(errors) }
            return results.filter(\.isBuilt).map(\.id)
        }
    }

    /// The modules whose files are missing, or older than the sources that are here. Compiles none.
    public var outdatedModules: [CatalogEntry] {
        FolderSource(manifest: manifest, usesColor: false) { _ in }
            .outdated(among: catalog)
    }
}

/// Tells of a build as a host does.
struct BuildReport {
    private let entries: [String: CatalogEntry]
    private let tellHost: (HostEvent) -> Void

    /// - Parameters:
    ///   - entries: The modules that are built.
    ///   - tell: A function that gets each event.
    init(_ entries: [CatalogEntry], _ tell: @escaping (HostEvent) -> Void) {
        self.entries = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        tellHost = tell
    }

    func tell(_ event: BuildEvent) {
        switch event {
        case .compiling: break
        case .running(let status): tellHost(.building(status))
        case .printed(let request, let text):
            tellHost(.compilerPrinted(module(request), text))
        case .restarting(let request):
            tellHost(.restarted(module(request)))
        case .waiting(let request, let holder):
            tellHost(.compilerPrinted(module(request), request.waiting(for: holder)))
        case .finished(let result):
            result.warnings.forEach { tellHost(.warned($0)) }
            if case .built(let duration) = result.outcome {
                tellHost(.built(module(result.request), duration))
            }
        }
    }

    /// The module of a request. Of an interface module that is built for others, only the place is known.
    private func module(_ request: BuildRequest) -> CatalogEntry {
        let path = Path.relative(request.output, to: request.base)
        return entries[request.id]
            ?? CatalogEntry(id: request.id, path: path, file: request.output)
    }
}
