// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
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
        let built = Set(results.filter(\.isBuilt).map(\.request.output))
        if built.isEmpty { return }
        let catalog = Catalog(manifest: manifest, profile: .current)
        for entry in catalog.entries where built.contains(entry.file) && entry.state == .ready {
            let module = InspectedModule(entry, among: catalog, in: manifest, host: .current)
            module.symbolWarnings.forEach(terminal.warn)
        }
    }

    func buildRequests() throws -> [BuildRequest] {
        let output = options.value(.output)
        if output != nil && options.operands.count != 1 {
            throw CommandError.wrongOperands(
                command: Subcommand.build.name, expected: "exactly one module with '--output'",
                found: options.operands)
        }
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

    /// Where several folders make one file, the folder whose module is used goes first. The others are errors.
    private func requestsForAll() throws -> [BuildRequest] {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest(let folder, _) {
            throw CommandError.noManifest(folder: folder, sources: foldersHere.first)
        }
        let entries = Catalog(manifest: manifest, profile: .current).entries
        let order = entries.filter { !$0.isDuplicate } + entries.filter(\.isDuplicate)
        return order.compactMap { BuildRequest($0, configuration, manifest.trust) }
    }

    private func request(_ word: String) throws -> BuildRequest {
        if word.contains("/") || (try? FileStatus(path: word))?.kind == .directory {
            // The folder needs no manifest. If there is one, the user's consent to its owner counts for the folder as
            // well. One that cannot be used adds nothing to what is trusted.
            let trust = (try? options.manifest())?.trust ?? .own
            return try BuildRequest(folder: word, configuration: configuration, trust: trust)
        }
        let manifest = try options.manifest()
        let entry = try Catalog(manifest: manifest, profile: .current).module(word)
        guard let request = BuildRequest(entry, configuration, manifest.trust) else {
            throw BuildError(entry.id, .noSourcesHere(file: entry.path))
        }
        return request
    }

    private var foldersHere: [String] {
        Folder.names(in: Path.current).filter { name in
            let declaration = Path.join(name, ModuleDeclaration.fileName)
            return !name.hasPrefix(".") && (try? FileStatus(path: declaration)) != nil
        }
    }
}

extension Builder {
    func build(_ requests: [BuildRequest], showing terminal: Terminal) throws(BuildErrors) {
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
    ) throws(BuildErrors) {
        var errors = compactMap(\.error)
        if skipsMissing {
            errors.filter(\.isMissingDependency).map(\.skipWarning).forEach(terminal.warn)
            errors.removeAll(where: \.isMissingDependency)
        }
        guard errors.isEmpty else { throw BuildErrors(errors) }
    }
}

extension CatalogEntry {
    fileprivate var isDuplicate: Bool {
        if case .duplicateID = problem { true } else { false }
    }
}

/// `eaves build --watch`: builds what is stale, and again whenever a source is saved, until a signal ends the process.
///
/// Each round finds the modules anew, watches their folders, builds, and waits. So a change is either seen by the
/// round or waited for after it. A module that does not build keeps its old file, and is tried again when
/// something changes that may mend it: its error is not shown again because of another module.
struct BuildWatch {
    let find: () throws -> [BuildRequest]
    let manifest: () -> Manifest?
    /// Whether all modules of the manifest's directories are built: a folder that comes there is one more.
    let buildsAll: Bool
    /// Whether the first round names modules that are up to date, too.
    let isVerbose: Bool
    let terminal: Terminal

    /// How long to wait for a source that has gone: some editors move a file away, and then write it anew.
    private static let editorLimit = Duration.milliseconds(100)

    func run(_ builder: Builder) throws -> Never {
        let watch = try FileWatch()
        var builder = builder
        builder.session = BuildSession()
        var requests = try find()
        // The inputs of the last build that failed, by the module.
        var failed: [BuildRequest: BuildInputs] = [:]
        var news = WatchNews.everything
        // A folder that comes from now on is news.
        var inputs = builder.inputs(of: requests)
        // The wait tells of what cannot be watched.
        try? watch.watch(places(of: requests, inputs))
        var known: FileIdentity?
        for round in 1... {
            // New content of a source changes neither the modules nor the places to watch.
            if !news.isOnlyContent(of: inputs) {
                do {
                    requests = try find()
                    builder.lookup = InterfaceLookup(in: manifest())
                } catch {
                    terminal.report(error)
                }
                try? watch.watch(places(of: requests, builder.inputs(of: requests)))
            }
            if round > 1 { requests = requests.map(\.unforced) }
            let (place, before) = (manifest()?.path, known)
            known = place.flatMap { try? FileStatus(path: $0) }.map { FileIdentity($0) }
            let retriesAll = news.mayConcern(place) || known != before
            let due = requests.map { ($0, builder.inputs(of: [$0])) }
                .filter { retriesAll || failed[$0.0] != $0.1 }
            let errors = build(due.map(\.0), builder, isFirst: round == 1, after: failed.keys)
            for (request, inputs) in due {
                let hasFailed = errors.contains(request.unforced)
                failed[request.unforced] =
                    hasFailed ? inputs.withInterfaces(of: builder.inputs(of: [request])) : nil
            }
            inputs = builder.inputs(of: requests)
            try? watch.watch(places(of: requests, inputs))
            if round == 1 { terminal.say("watching for changes, until Ctrl-C") }
            news = nextNews(watch, inputs)
        }
        fatalError("the rounds have no end")
    }

    /// - Parameter failed: The modules whose errors were the last word about them.
    /// - Returns: The modules that could not be built.
    private func build(
        _ requests: [BuildRequest], _ builder: Builder, isFirst: Bool,
        after failed: some Collection<BuildRequest>
    ) -> [BuildRequest] {
        if requests.isEmpty { return [] }
        let progress = BuildProgress(terminal: terminal, isVerbose: isFirst && isVerbose)
        let results = builder.build(requests, report: progress.show)
        for result in results where failed.contains(result.request.unforced) {
            // The edit that did not compile was taken back.
            if case .upToDate = result.outcome { terminal.say("\(result.id) is up to date") }
        }
        do {
            try results.checkBuilt(skippingMissing: buildsAll, terminal)
        } catch {
            terminal.report(error)
        }
        return results.filter { $0.error != nil }.map(\.request.unforced)
    }

    private func places(of requests: [BuildRequest], _ inputs: BuildInputs) -> WatchedPlaces {
        let manifest = manifest()
        let modules = (manifest?.directories ?? []).map {
            Path.absolute($0, from: manifest?.directory ?? "/")
        }
        return WatchedPlaces(
            directories: inputs.linkedFolders,
            files: inputs.files + (manifest.map { [$0.path] } ?? []),
            trees: inputs.folders + (buildsAll ? modules : []))
    }

    /// Waits for a change. Where a source has gone, waits a little longer for what takes its place.
    private func nextNews(_ watch: FileWatch, _ inputs: BuildInputs) -> WatchNews {
        // The watch is never woken, so a wait without news has come to its deadline.
        var news: WatchNews?
        repeat { news = watch.wait(warning: terminal.warn) } while news == nil
        while case .files(let paths) = news,
            paths.contains(where: { inputs.hasSource($0) && (try? FileStatus(path: $0)) == nil }),
            let more = watch.wait(until: .now + Self.editorLimit, warning: terminal.warn)
        {
            news = if case .files(let further) = more { .files(paths.union(further)) } else { more }
        }
        return news ?? .everything
    }
}

extension WatchNews {
    /// Whether nothing has changed except the content of sources that are there. A `module.json` decides which
    /// modules there are.
    fileprivate func isOnlyContent(of inputs: BuildInputs) -> Bool {
        guard case .files(let paths) = self else { return false }
        // News of no file says that some may have changed.
        return !paths.isEmpty
            && paths.allSatisfy { path in
                inputs.hasSource(path) && Path.name(of: path) != ModuleDeclaration.fileName
                    && (try? FileStatus(path: path)) != nil
            }
    }

    /// Whether a file may have changed. No file may be asked for.
    fileprivate func mayConcern(_ path: String?) -> Bool {
        guard case .files(let paths) = self else { return true }
        return path.map(paths.contains) ?? false
    }
}

extension BuildRequest {
    fileprivate var unforced: BuildRequest {
        var request = self
        request.isForced = false
        return request
    }
}
