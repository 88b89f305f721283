// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest

/// `eaves inspect FILE-OR-ID`
struct InspectCommand: SynchronousSubcommand {
    static let name = "inspect"
    static let summary = "show all that is known about a module"
    static let operands = "FILE-OR-ID"
    static let operandCount = 1...1
    static let completed: [CompletedWord] = [.module]
    static let options: [OptionSpec] = [.by, .json, .manifest]
    static let discussion = """
        Reads the module's file, and runs none of its code. The exit code says whether this host
        could load it, also if it is disabled. Where the module shares a binding with others, '--by'
        shows whether it is chosen, as in '--by user=alice'.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let operands = ModuleOperands(in: try manifest(terminal))
        let report = InspectReport(
            try operands.module(options.operands[0]), among: operands.catalog,
            for: operands.manifest)
        if options.has(.json) {
            try terminal.write(report.json)
        } else {
            try terminal.page(report.text)
        }
        guard report.problems.isEmpty else { throw CommandError.unusableModule(report.problems) }
        return 0
    }

    /// A file can be inspected where there is no manifest, and where the manifest is wrong.
    private func manifest(_ terminal: Terminal) throws -> Manifest? {
        let isOptional = options.operands[0].namesFile && !options.namesManifest
        return isOptional ? try? options.manifest() : try options.choosingManifest(terminal)
    }
}
