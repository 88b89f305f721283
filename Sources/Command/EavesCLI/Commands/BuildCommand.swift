// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesModules
import EavesOutput
import EavesRules
import EavesSources
import EavesSystem
import EavesTemplates
import EavesTrust

extension Subcommand {
    static let build = Subcommand(
        name: "build",
        summary: "compile modules from their folders",
        operands: "[ID-OR-FOLDER…]",
        operandCount: 0...Int.max,
        completed: [.module],
        options: [
            .manifest, .release, .force, .output, .watch, .verbose,
        ],
        discussion: """
            Compiles what changed, several modules at once. Without operands, it builds each folder with
            a module.json in the manifest's directories, and the folders elsewhere that it built a file
            in them from. A folder may lie anywhere; its .so is written next to it. The interface modules
            that a module names are built before it. With --watch, it goes on until Ctrl-C, and builds
            whenever a source is saved.
            """,
        run: .plain { try $0.build() })
}

extension OptionSpec {
    fileprivate static let release = OptionSpec("release", short: "r", help: "optimise")
    fileprivate static let force = OptionSpec(
        "force", short: "f", help: "compile also what is up to date")
    fileprivate static let output = OptionSpec(
        "output", short: "o", value: "PATH", help: "where to write the .so of one module")
    fileprivate static let watch = OptionSpec(
        "watch", short: "w", help: "build again whenever a source is saved")
}

extension SubcommandCall {
    fileprivate func build() throws {
        let manifest = try? options.manifest()
        let builder = Builder(in: manifest, usesColor: terminal.isColored)
        if options.has(.watch) {
            try BuildWatch(
                find: buildRequests, manifest: { try? options.manifest() },
                buildsAll: options.operands.isEmpty, isVerbose: options.has(.verbose),
                terminal: terminal
            ).run(builder)
        }
        let requests = try buildRequests()
        if let manifest {
            if let eaves = (try? SDK.locate(forHost: Builder.thisProgram))?.package {
                ProjectPackage.link(manifest.directory, to: eaves, manifest.trust)
            }
            for folder in try ProjectPackage.takeOutMissing(in: manifest.directory) {
                terminal.say("took \(folder) out of \(ProjectPackage.fileName): it is gone")
            }
        }
        let progress = BuildProgress(terminal: terminal, isVerbose: options.has(.verbose))
        let results = builder.build(requests, report: progress.show)
        progress.sum(results)
        if let manifest { warnOfSymbols(of: results, manifest) }
        try results.checkBuilt(skippingMissing: options.operands.isEmpty, terminal)
        if requests.isEmpty { terminal.say("there is nothing to build") }
        if options.operands.isEmpty {
            for folder in foldersHere where !requests.contains(where: { $0.isFor(folder: folder) })
            {
                terminal.say(
                    "\(folder) is in none of the manifest's directories: "
                        + "build it with 'eaves build \("./\(folder)".shellPath)'")
            }
        }
    }

    /// Warns of what no launch could load. The libraries are looked at that a launch here would load.
    private func warnOfSymbols(of results: [BuildResult], _ manifest: Manifest) {
        let built = Set(
            results.compactMap { if case .built = $0.outcome { $0.request.output } else { nil } })
        if built.isEmpty { return }
        let catalog = Catalog(manifest: manifest, profile: .current)
        for entry in catalog.entries where built.contains(entry.file) && entry.state == .ready {
            let module = InspectedModule(entry, among: catalog, in: manifest, host: .current)
            module.symbolWarnings.forEach(terminal.warn)
        }
    }

    func buildRequests() throws -> [BuildRequest] {
        let output = options.value(.output)
        if output != nil && options.operands.count != 1 { throw CommandError.oneOutputForSeveral }
        var requests =
            options.operands.isEmpty
            ? try requestsForAll() : try options.operands.map(request)
        for index in requests.indices {
            if let output { try requests[index].write(to: output) }
            requests[index].isForced = options.has(.force)
        }
        var seen: Set<BuildRequest> = []
        return requests.filter { seen.insert($0).inserted }
    }

    private var configuration: BuildConfiguration {
        options.has(.release) ? .release : .debug
    }

    /// Where several folders make one file, the folder whose module is used goes first. The others are
    /// errors.
    private func requestsForAll() throws -> [BuildRequest] {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest(let folder) where !foldersHere.isEmpty {
            throw CommandError.noManifestToBuild(folder: folder, sources: foldersHere)
        }
        let entries = Catalog(manifest: manifest, profile: .current).entries
        let order = entries.filter { !$0.isDuplicate } + entries.filter(\.isDuplicate)
        return order.compactMap { BuildRequest($0, configuration, manifest.trust) }
    }

    private func request(_ word: String) throws -> BuildRequest {
        if isFolder(word) {
            return try BuildRequest(folder: word, configuration: configuration, trust: folderTrust)
        }
        let manifest = try options.manifest()
        let entry = try Catalog(manifest: manifest, profile: .current).module(word)
        guard let request = BuildRequest(entry, configuration, manifest.trust) else {
            throw NoSourcesError(entry: entry)
        }
        return request
    }

    /// The check for a folder, which needs no manifest. If there is one, the user's consent to its owner
    /// counts for the folder as well. One that cannot be used adds nothing to what is trusted.
    private var folderTrust: TrustCheck { (try? options.manifest())?.trust ?? .own }

    private var foldersHere: [String] {
        ((try? Folder(Path.current).entries) ?? []).map(\.name).filter { name in
            let declaration = Path.join(name, ModuleDeclaration.fileName)
            return !name.hasPrefix(".") && (try? FileStatus(path: declaration)) != nil
        }
    }

    /// Whether an operand `ID-OR-FOLDER` is a folder: it has a slash, or there is a folder of that
    /// name.
    private func isFolder(_ word: String) -> Bool {
        word.contains("/") || (try? FileStatus(path: word))?.kind == .directory
    }
}

extension Builder {
    func build(_ requests: [BuildRequest], showing terminal: Terminal) throws(CommandError) {
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        try build(requests, report: progress.show).checkBuilt(skippingMissing: false, terminal)
    }
}

extension [BuildResult] {
    /// Reports the modules that were not built.
    ///
    /// - Parameter skipsMissing: Whether a module is left out where its library is not installed, because
    ///   no operand names it.
    func checkBuilt(
        skippingMissing skipsMissing: Bool, _ terminal: Terminal
    ) throws(CommandError) {
        var errors = compactMap(\.error)
        if skipsMissing {
            errors.filter(\.isMissingDependency).map(\.skipWarning).forEach(terminal.warn)
            errors.removeAll(where: \.isMissingDependency)
        }
        guard errors.isEmpty else { throw .notBuilt(errors.causesFirst) }
    }
}

extension CatalogEntry {
    fileprivate var isDuplicate: Bool {
        if case .duplicateID = problem { true } else { false }
    }
}
