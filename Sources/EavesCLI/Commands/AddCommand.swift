// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves add FILE`
struct AddCommand: ImmediateSubcommand {
    static let name = "add"
    static let summary = "list a module's file in the manifest"
    static let operands = "FILE"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        For a file outside of the manifest's directories; what lies in them is found by itself. The
        file is checked first, without running it, and stays where it is.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let file = Path.absolute(options.operands[0])
        let profile = HostProfile.current.allowing(compilers: manifest.compilers)
        let entry = Catalog.inspect(file: options.operands[0], profile: profile)
        guard entry.problem == nil else { throw InspectFault(diagnostics: entry.diagnostics) }
        let catalog = Catalog(manifest: manifest, profile: .current)
        if let known = catalog.entry(entry.id), known.file == file {
            terminal.say("\(entry.id) is there already: \(known.path)")
            return 0
        }
        var editor = try ManifestEditor(manifest.path)
        try editor.add(entry.id, library: Path.relative(file, to: manifest.directory))
        try editor.save()
        terminal.say("added \(entry.id) \(entry.declaration?.version ?? "")")
        return 0
    }
}
