// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost

/// `eaves list`
struct ListCommand: ImmediateSubcommand {
    static let name = "list"
    static let summary = "show features and modules"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.json, .manifest]
    static let discussion = """
        Reads what each module's file says of itself; runs no module's code. A module that cannot be
        used is shown with its state, and why.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let catalog = Catalog(manifest: manifest, profile: .current)
        if options.has(.json) {
            let listing = catalog.listing
            try ListDocument(listing, manifest: manifest).write(to: terminal)
            listing.diagnostics.forEach(terminal.warn)
        } else {
            try terminal.write(ListReport(catalog: catalog, manifest: manifest).text)
            try terminal.console.flush()
            // What is wrong with a directory is wrong with each module in it, and said once.
            var said: Set<Diagnostic> = []
            for diagnostic in catalog.entries.flatMap(\.diagnostics)
            where said.insert(diagnostic).inserted {
                terminal.warn(diagnostic)
            }
            catalog.diagnostics.forEach(terminal.warn)
        }
        return 0
    }
}
