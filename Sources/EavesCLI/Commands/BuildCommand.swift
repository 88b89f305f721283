// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves build [ID-OR-FOLDER…]`
struct BuildCommand: SynchronousSubcommand {
    static let name = "build"
    static let summary = "compile modules from their folders"
    static let operands = "[ID-OR-FOLDER…]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.manifest, release, output, .verbose]
    static let discussion = """
        Compiles what changed, several modules at once. Without operands, it builds each folder with
        a module.json in the manifest's directories. A folder may lie anywhere; its .so is written
        next to it.
        """

    private static let release = OptionSpec("release", short: "r", help: "optimise")
    private static let output = OptionSpec(
        "output", short: "o", value: "PATH", help: "where to write the .so of one module")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let builder = Builder(
            forHost: Self.executable, store: try store(), usesColor: terminal.isColored)
        let requests = try requests()
        let progress = BuildProgress(terminal: terminal, isVerbose: options.has(.verbose))
        let errors = builder.build(requests, report: progress.show).compactMap(\.error)
        guard errors.isEmpty else { throw CommandError.notBuilt(errors) }
        if requests.isEmpty { terminal.say("there is nothing to build") }
        return 0
    }

    /// The file of the running program, next to which the SDK lies.
    static var executable: String {
        Files.resolved("/proc/self/exe") ?? CommandLine.arguments[0]
    }

    /// The manifest's store; `nil` where there is no manifest, which folders do not need.
    func store() throws -> String? {
        let namesIDs = options.operands.isEmpty || options.operands.contains { !isFolder($0) }
        if namesIDs || options.has(.manifest) { return try options.manifest().store }
        // A manifest further up may belong to another program.
        return (try? options.manifest())?.store
    }

    /// The modules to build, in the order of the operands, each once.
    func requests() throws -> [BuildRequest] {
        var seen: Set<BuildRequest> = []
        return try namedRequests().filter { seen.insert($0).inserted }
    }

    private func namedRequests() throws -> [BuildRequest] {
        let configuration: BuildConfiguration = options.has(Self.release) ? .release : .debug
        let output = options.value(Self.output)
        if output != nil && options.operands.count != 1 { throw CommandError.oneOutputForSeveral }
        if options.operands.isEmpty {
            return try catalog().entries.compactMap { BuildRequest($0, configuration) }
        }
        return try options.operands.map { word in
            if isFolder(word) {
                return try BuildRequest(
                    folder: word, output: output, configuration: configuration)
            }
            let entry = try catalog().module(word)
            guard var request = BuildRequest(entry, configuration) else {
                throw CommandError.noSources(word, path: entry.path)
            }
            if let output { request.output = Path.absolute(output) }
            return request
        }
    }

    private func catalog() throws -> Catalog {
        Catalog(manifest: try options.manifest(), profile: .current)
    }

    /// Whether an operand `ID-OR-FOLDER` is a folder: it has a slash, or there is a folder of that
    /// name.
    private func isFolder(_ word: String) -> Bool {
        word.contains("/") || (try? FileStatus(path: word))?.kind == .directory
    }
}

extension BuildRequest {
    /// A request to build a module that the catalog knows; `nil` if it has no sources here.
    ///
    /// - Parameter configuration: `nil` to build it as it was built last.
    init?(_ entry: CatalogEntry, _ configuration: BuildConfiguration?) {
        guard let source = entry.source else { return nil }
        self.init(id: entry.id, folder: source, output: entry.file, configuration: configuration)
    }
}
