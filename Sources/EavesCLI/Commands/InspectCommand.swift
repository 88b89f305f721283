// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesHost
import EavesManifest

/// `eaves inspect FILE-OR-ID`
struct InspectCommand: ImmediateSubcommand {
    static let name = "inspect"
    static let summary = "show all that is known of a module"
    static let operands = "FILE-OR-ID"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.json, .manifest]
    static let discussion = """
        Reads the module's file; runs no code of it. The exit code says whether this host would
        load it.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let report = try report(options.operands[0])
        if options.has(.json) {
            try terminal.write(report.json)
        } else {
            try terminal.write(report.text)
        }
        guard report.problems.isEmpty else { throw report.fault }
        return 0
    }

    /// A word with a slash, or that ends in `.so`, is a file; any other is an id.
    private func report(_ word: String) throws -> InspectReport {
        let isFile = word.namesFile
        // A file can be looked at where there is no manifest, or one that is wrong.
        let manifest =
            isFile && !options.has(.manifest)
            ? try? options.manifest() : try options.manifest()
        let catalog = manifest.map { Catalog(manifest: $0, profile: .current) }
        if isFile {
            let profile = HostProfile.current.allowing(compilers: manifest?.compilers ?? [])
            let entry = Catalog.inspect(
                file: word, for: options.manifestFolder, profile: profile)
            return InspectReport(entry, among: catalog, for: manifest)
        }
        guard let entry = catalog?.entry(word) else {
            throw LookupFault.fileOrModule(word, known: catalog?.entries.map(\.id) ?? [])
        }
        return InspectReport(entry, among: catalog, for: manifest)
    }
}
