// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves validate`
struct ValidateCommand: ImmediateSubcommand {
    static let name = "validate"
    static let summary = "check that modules, features and bindings fit together"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.json, .manifest, load, noBuild]
    static let discussion = """
        Compares what all modules say of themselves, and what the manifest binds: what is missing,
        ambiguous, or goes round in a circle. Runs no module's code. With '--load' the modules are
        loaded and register, and what they register is checked, too.
        """

    private static let load = OptionSpec(
        "load", help: "also load the modules, and check what they register")
    private static let noBuild = OptionSpec(
        "no-build", help: "with --load, take the modules as they are")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let isLoading = options.has(Self.load)
        let source: any ModuleSource =
            !isLoading || options.has(Self.noBuild)
            ? NoSource() : FolderSource(manifest: manifest, terminal: terminal)
        let host = try Host(manifest: manifest, source: source)
        let report = ValidationReport(problems: try host.validate(loading: isLoading))
        if options.has(.json) {
            try terminal.write(report.json)
        } else if report.problems.isEmpty {
            try terminal.write("no problems\n")
        }
        guard report.problems.isEmpty else { throw report.fault }
        return 0
    }
}
