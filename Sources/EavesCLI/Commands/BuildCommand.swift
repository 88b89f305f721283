// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves build [ID-OR-FOLDER…]`
struct BuildCommand: ImmediateSubcommand {
    static let name = "build"
    static let summary = "compile modules from their folders"
    static let operands = "[ID-OR-FOLDER…]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.manifest, release, output, .verbose]
    static let discussion = """
        Compiles what changed, several modules at once. Without operands: every folder with a
        module.json in the manifest's directories. A folder may lie anywhere and gets its .so
        beside it.
        """

    private static let release = OptionSpec("release", short: "r", help: "optimise")
    private static let output = OptionSpec(
        "output", short: "o", value: "PATH", help: "where the .so of one folder goes")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let builder = Builder(
            forHost: HostExecutable.path, store: try store(), usesColor: terminal.isColored)
        let requests = try requests()
        let progress = BuildProgress(terminal: terminal, isVerbose: options.has(.verbose))
        let results = builder.build(requests, report: progress.show)
        let errors = results.compactMap(\.error)
        guard errors.isEmpty else { throw BuildFailure(errors: errors) }
        if requests.isEmpty { terminal.say("there is nothing to build") }
        return 0
    }

    /// Folders elsewhere can be built where no manifest is.
    private func store() throws -> String? {
        let needsManifest = options.operands.isEmpty || options.operands.contains { !isFolder($0) }
        if needsManifest || options.has(.manifest) { return try options.manifest().store }
        return Manifest.find(from: Path.current) == nil ? nil : try options.manifest().store
    }

    private func requests() throws -> [BuildRequest] {
        let configuration: BuildConfiguration = options.has(Self.release) ? .release : .debug
        let output = options.value(Self.output)
        if output != nil && options.operands.count != 1 { throw OutputFault(Self.output.long) }
        if options.operands.isEmpty {
            return try catalog().entries.compactMap { $0.request(configuration) }
        }
        return try options.operands.map { word in
            if isFolder(word) {
                return try BuildRequest(
                    folder: word, output: output, configuration: configuration)
            }
            let catalog = try catalog()
            guard let entry = catalog.entry(word) else {
                throw LookupFault.module(word, known: catalog.entries.map(\.id))
            }
            guard var request = entry.request(configuration) else {
                throw LookupFault.noSources(word, path: entry.path)
            }
            if let output { request.output = Path.absolute(output) }
            return request
        }
    }

    private func catalog() throws -> Catalog {
        Catalog(manifest: try options.manifest(), profile: .current)
    }

    /// A word with a slash, or the name of a folder that is here; any other is an id.
    private func isFolder(_ word: String) -> Bool {
        word.contains("/") || (try? FileStatus(path: word))?.kind == .directory
    }
}
