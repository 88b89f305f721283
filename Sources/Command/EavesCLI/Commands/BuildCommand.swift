// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesDiagnostics
import EavesDeclaration
import EavesHost
import EavesManifest
import EavesSystem
import EavesTrust

/// `eaves build [--watch] [ID-OR-FOLDER…]`
struct BuildCommand: SynchronousSubcommand {
    static let name = "build"
    static let summary = "compile modules from their folders"
    static let operands = "[ID-OR-FOLDER…]"
    static let operandCount = 0...Int.max
    static let completed: [CompletedWord] = [.module]
    static let options: [OptionSpec] = [
        .manifest, release, force, output, watch, .verbose,
    ]
    static let discussion = """
        Compiles what changed, several modules at once. Without operands, it builds each folder with
        a module.json in the manifest's directories, and the folders elsewhere that it built a file
        in them from. A folder may lie anywhere; its .so is written next to it. The interface modules
        that a module names are built before it. With --watch, it goes on until Ctrl-C, and builds
        whenever a source is saved.
        """

    private static let release = OptionSpec("release", short: "r", help: "optimise")
    private static let force = OptionSpec(
        "force", short: "f", help: "compile also what is up to date")
    private static let output = OptionSpec(
        "output", short: "o", value: "PATH", help: "where to write the .so of one module")
    private static let watch = OptionSpec(
        "watch", short: "w", help: "build again whenever a source is saved")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let builder = Builder(
            forHost: Builder.thisProgram, lookup: InterfaceLookup(in: try? options.manifest()),
            usesColor: terminal.isColored)
        if options.has(Self.watch) {
            try BuildWatch(
                find: requests, manifest: { try? options.manifest() },
                buildsAll: options.operands.isEmpty, isVerbose: options.has(.verbose),
                terminal: terminal
            ).run(builder)
        }
        let requests = try requests()
        let progress = BuildProgress(terminal: terminal, isVerbose: options.has(.verbose))
        let results = builder.build(requests, report: progress.show)
        progress.sum(results)
        try Self.check(results, skipsMissing: options.operands.isEmpty, terminal)
        if requests.isEmpty { terminal.say("there is nothing to build") }
        if options.operands.isEmpty {
            for folder in foldersHere where !requests.contains(where: folder.isBuilt(by:)) {
                terminal.say(
                    "\(folder.name) is in none of the manifest's directories: "
                        + "build it with 'eaves build \("./\(folder.name)".shellPath)'")
            }
        }
        return 0
    }

    /// Reports the modules that were not built.
    ///
    /// - Parameter skipsMissing: Whether a module is left out where its library is not installed, because
    ///   nobody has named it.
    /// - Throws: If another module could not be built.
    static func check(
        _ results: [BuildResult], skipsMissing: Bool, _ terminal: Terminal
    ) throws(CommandError) {
        var errors = results.compactMap(\.error)
        if skipsMissing {
            errors.filter(\.isMissingDependency).map(\.skipWarning).forEach(terminal.warn)
            errors.removeAll(where: \.isMissingDependency)
        }
        guard errors.isEmpty else { throw .notBuilt(errors.causesFirst) }
    }

    /// The modules to build, in the order of the operands, each once.
    func requests() throws -> [BuildRequest] {
        let output = options.value(Self.output)
        if output != nil && options.operands.count != 1 { throw CommandError.oneOutputForSeveral }
        var requests =
            options.operands.isEmpty
            ? try requestsForAll() : try options.operands.map(request)
        for index in requests.indices {
            if let output { try requests[index].write(to: output) }
            requests[index].isForced = options.has(Self.force)
        }
        var seen: Set<BuildRequest> = []
        return requests.filter { seen.insert($0).inserted }
    }

    private var configuration: BuildConfiguration {
        options.has(Self.release) ? .release : .debug
    }

    /// Where several folders make one file, the folder whose module is used goes first. The others are
    /// errors.
    private func requestsForAll() throws -> [BuildRequest] {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest(let folder) where !foldersHere.isEmpty {
            throw CommandError.noManifestToBuild(folder: folder, sources: foldersHere.map(\.name))
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

    /// The folders of sources in the working directory.
    private var foldersHere: [SourcesHere] {
        let entries = (try? Folder(Path.current).entries) ?? []
        return entries.filter { !$0.name.hasPrefix(".") }.compactMap { SourcesHere($0.name) }
    }

    /// Whether an operand `ID-OR-FOLDER` is a folder: it has a slash, or there is a folder of that
    /// name.
    private func isFolder(_ word: String) -> Bool {
        word.contains("/") || (try? FileStatus(path: word))?.kind == .directory
    }
}

/// A folder with a `module.json` in the working directory.
private struct SourcesHere {
    let name: String
    private let status: FileStatus

    init?(_ name: String) {
        let declaration = Path.join(name, ModuleDeclaration.fileName)
        guard (try? FileStatus(path: declaration)) != nil,
            let status = try? FileStatus(path: name)
        else { return nil }
        self.name = name
        self.status = status
    }

    /// Whether a request is about this folder, under whatever name.
    func isBuilt(by request: BuildRequest) -> Bool {
        guard let other = try? FileStatus(path: request.folder) else { return false }
        return other.device == status.device && other.inode == status.inode
    }
}

extension CatalogEntry {
    fileprivate var isDuplicate: Bool {
        if case .duplicateID = problem { true } else { false }
    }
}
