// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost

/// `eaves list`
struct ListCommand: SynchronousSubcommand {
    static let name = "list"
    static let summary = "show features and modules"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.by, .json, .manifest]
    static let discussion = """
        Reads what each module's file declares, and runs no module's code. A module that cannot be
        used is shown with its state, and with the reason. Where modules share a binding, '--by'
        shows which of them is chosen, as in '--by user=alice'.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        let listing = Catalog(manifest: manifest, profile: .current).listing
        if options.has(.json) {
            try ListDocument(listing, manifest: manifest).write(to: terminal)
        } else {
            try terminal.write(ListReport(listing, manifest: manifest).text)
            // The table comes first, also where both outputs lead to the same terminal.
            try terminal.console.flush()
            // A problem of a directory is a problem of each module in it, and is reported once.
            var reported: Set<Diagnostic> = []
            for diagnostic in listing.moduleDiagnostics
            where reported.insert(diagnostic).inserted {
                terminal.warn(diagnostic)
            }
        }
        listing.diagnostics.forEach(terminal.warn)
        // A host that does not answer at once says it in 'eaves generations'.
        for host in (try? RunningHost.all(of: manifest, within: .milliseconds(500))) ?? [] {
            host.obstacles.flatMap(\.problems).map(host.diagnostic).forEach(terminal.warn)
        }
        return 0
    }
}
