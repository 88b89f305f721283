// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesOutput

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect",
        summary: "show all that is known about a module",
        operands: "FILE-OR-ID",
        operandCount: 1...1,
        completed: [.module],
        options: [.by, .json, .manifest],
        discussion: """
            Reads the module's file, and runs none of its code. The exit code says whether this host
            could load it, also if it is disabled. Where the module shares a binding with others, '--by'
            shows whether it is chosen, as in '--by user=alice'.
            """,
        run: .plain { try $0.inspect() })
}

extension SubcommandCall {
    fileprivate func inspect() throws {
        let operands = ModuleOperands(in: try manifest())
        let report = InspectReport(
            try operands.module(options.operands[0]), among: operands.catalog,
            for: operands.manifest)
        try print(report.json, or: report.text, isPaged: true)
        guard report.problems.isEmpty else { throw CommandError.invalid(report.problems) }
    }

    /// A file can be inspected where there is no manifest, and where the manifest is wrong.
    private func manifest() throws -> Manifest? {
        let isOptional = options.operands[0].namesFile && !options.namesManifest
        return isOptional ? try? options.manifest() : try options.choosingManifest(terminal)
    }
}
