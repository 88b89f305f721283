// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesOutput
import EavesSources
import EavesSystem

/// `eaves build --watch`: builds what is stale, and again whenever a source is saved, until a signal ends the
/// process.
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
        return WatchedPlaces(
            directories: inputs.linkedFolders,
            files: inputs.files + (manifest.map { [$0.path] } ?? []),
            trees: inputs.folders + (buildsAll ? manifest?.moduleFolders ?? [] : []))
    }

    /// Waits for a change. Where a source has gone, waits a little longer for what takes its place.
    private func nextNews(_ watch: FileWatch, _ inputs: BuildInputs) -> WatchNews {
        // The watch is never woken, so a wait without news has come to its deadline.
        var news: WatchNews?
        repeat { news = watch.wait(warning: terminal.warn) } while news == nil
        while case .files(let paths) = news,
            paths.contains(where: { inputs.hasSource($0) && isGone($0) }),
            let more = watch.wait(until: .now + Self.editorLimit, warning: terminal.warn)
        {
            if case .files(let further) = more {
                news = .files(paths.union(further))
            } else {
                news = more
            }
        }
        return news ?? .everything
    }

    private func isGone(_ path: String) -> Bool { (try? FileStatus(path: path)) == nil }
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

extension Manifest {
    fileprivate var moduleFolders: [String] {
        directories.map { Path.absolute($0, from: directory) }
    }
}
