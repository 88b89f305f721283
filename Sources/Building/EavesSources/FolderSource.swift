// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesCatalog
package import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
public import EavesHost
package import EavesLife
package import EavesManifest
import EavesModules
import EavesSystem
package import EavesTrust
import Synchronization

extension Host.Sources {
    /// The folders of the modules' sources: modules whose files are missing, or older than their sources, are compiled
    /// before they are loaded. This needs the Swift compiler, and the files that `swift build` leaves next to the
    /// program.
    public static var folders: Host.Sources { folders(usesColor: false) }

    /// The folders of the modules' sources.
    ///
    /// - Parameter usesColor: Whether the compiler colours its messages.
    package static func folders(usesColor: Bool) -> Host.Sources {
        Host.Sources { FolderSource(manifest: $0, usesColor: usesColor, tell: $1) }
    }
}

/// Builds modules from their folders before a host loads them: those whose file is missing, or older than its sources.
///
/// A file that `eaves build` did not write is used as it is: a person who drops in a module wants that
/// one. So is a good file that this machine cannot build anew. Both are told.
package final class FolderSource: ModuleSource {
    private let manifest: Manifest
    private let usesColor: Bool
    private let tell: @Sendable (HostEvent) -> Void
    /// Created when the first module with sources comes.
    private let builder = Mutex<Builder?>(nil)
    /// The ids of modules of which a warning was shown.
    private let reported = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - manifest: Where the modules are.
    ///   - usesColor: Whether the compiler colours what it prints.
    ///   - tell: A function that gets the steps of a build.
    package init(
        manifest: Manifest, usesColor: Bool, tell: @escaping @Sendable (HostEvent) -> Void
    ) {
        self.manifest = manifest
        self.usesColor = usesColor
        self.tell = tell
    }

    package func freshen(_ modules: [CatalogEntry]) throws -> Bool {
        var due: [(entry: CatalogEntry, request: BuildRequest)] = []
        var others: [(entry: CatalogEntry, request: BuildRequest)] = []
        for entry in modules where entry.isEnabled {
            guard let request = BuildRequest(entry, nil, manifest.trust) else { continue }
            if isDue(request) {
                due.append((entry, request))
            } else if entry.declaration?.interfaces.isEmpty == false {
                others.append((entry, request))
            }
        }
        // Another text of an interface makes those out of date that were compiled against it.
        if due.contains(where: { $0.entry.declaration?.layer == .interface }) {
            due += others.filter { sharedBuilder().freshness(of: $0.request) == .fresh }
        }
        guard !due.isEmpty else { return false }
        try checkTrust(of: due.map(\.request))
        let report = BuildReport(due.map(\.entry), tell)
        let results = sharedBuilder().build(due.map(\.request), report: report.tell)
        var errors: [BuildError] = []
        for (index, result) in results.enumerated() {
            guard let error = result.error else { continue }
            // Behind the modules come the interface modules that were built for these.
            let entry = due.indices.contains(index) ? due[index].entry : nil
            // The file could be loaded as it is, or would be if nothing kept it out.
            let isUsable = entry.map {
                $0.status != nil && ($0.problem == nil || $0.state == .quarantined)
            }
            if error.leavesOldFileInUse, isUsable ?? true {
                warn(of: result.request) { error.warning(using: $0, from: $1) }
            } else if error.isMissingDependency, entry != nil {
                // Code that needs the module gets an error that its file is missing.
                warn(of: result.request) { _, _ in error.skipWarning }
            } else {
                errors.append(error)
            }
        }
        guard errors.isEmpty else { throw BuildErrors(errors) }
        return results.contains(where: \.isBuilt)
    }

    /// The modules whose files are missing or older than their sources.
    func outdated(among modules: [CatalogEntry]) -> [CatalogEntry] {
        modules.filter { entry in
            guard entry.isEnabled, let request = BuildRequest(entry, nil, manifest.trust) else {
                return false
            }
            return [.missing, .stale].contains(sharedBuilder().freshness(of: request))
        }
    }

    /// Checks the owners and permissions of sources: a person who can write them decides what code
    /// runs, since the module is loaded right after the build.
    private func checkTrust(of requests: [BuildRequest]) throws(BuildErrors) {
        let errors = requests.compactMap { request in
            request.trustError.map { BuildError(request.id, .untrusted($0)) }
        }
        guard errors.isEmpty else { throw BuildErrors(errors) }
    }

    private func sharedBuilder() -> Builder {
        builder.withLock { builder in
            if let builder { return builder }
            let created = Builder(in: manifest, usesColor: usesColor)
            builder = created
            return created
        }
    }

    private func isDue(_ request: BuildRequest) -> Bool {
        switch sharedBuilder().freshness(of: request) {
        case .fresh:
            return false
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
    /// - Parameter warning: A function that makes the warning from the file and the folder as messages show them.
    private func warn(of request: BuildRequest, _ warning: (String, String) -> Diagnostic) {
        guard reported.withLock({ $0.insert(request.id).inserted }) else { return }
        let file = Path.relative(request.output, to: Path.current)
        let folder = Path.relative(request.folder, to: Path.current)
        tell(.warned(warning(file, folder)))
    }
}

extension BuildRequest {
    /// A request to build a module that the catalog knows: from the folder next to its file, else from
    /// the folder that it was built from here. `nil` if there is neither.
    ///
    /// - Parameters:
    ///   - configuration: `nil` to build it as it was built last.
    ///   - trust: The check of the manifest.
    package init?(
        _ entry: CatalogEntry, _ configuration: BuildConfiguration?, _ trust: TrustCheck = .own
    ) {
        guard let source = entry.source else {
            self.init(recordedFor: entry.id, output: entry.file, configuration: configuration)
            self.trust = trust
            return
        }
        // The file of an entry whose module.json is wrong is that module.json.
        let hasOutput = Path.name(of: entry.file) != ModuleDeclaration.fileName
        let output =
            hasOutput ? entry.file : Path.join(Path.parent(of: source), "\(entry.id).so")
        self.init(id: entry.id, folder: source, output: output, configuration: configuration)
        self.trust = trust
    }
}

extension Builder {
    /// A builder for this program.
    ///
    /// - Parameter manifest: Leads to interface modules; `nil` to find only those of the program.
    package init(in manifest: Manifest?, usesColor: Bool = false) {
        self.init(
            forHost: Self.thisProgram, lookup: InterfaceLookup(in: manifest), usesColor: usesColor)
    }

    /// The file of the running program, next to which the SDK lies.
    package static var thisProgram: String {
        Files.resolved("/proc/self/exe") ?? CommandLine.arguments[0]
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
