// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesJSON

/// `eaves validate`
struct ValidateCommand: SynchronousSubcommand {
    static let name = "validate"
    static let summary = "check that modules, features and bindings fit together"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.json, .manifest, load, noBuild]
    static let discussion = """
        Compares what all modules declare with what the manifest binds, and shows what is missing,
        ambiguous or circular. No module's code runs. With '--load', the modules are loaded and
        register, and what they register is checked, too; what they print goes to standard error.
        """

    private static let load = OptionSpec(
        "load", help: "also load the modules, and check what they register")
    private static let noBuild = OptionSpec(
        "no-build", help: "with --load: do not build the modules first")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let isLoading = options.has(Self.load)
        let source: any ModuleSource =
            isLoading && !options.has(Self.noBuild)
            ? FolderSource(manifest: manifest, terminal: terminal) : NoSource()
        if isLoading { try terminal.console.claimOutput() }
        let watch = isLoading ? LoadWatch(manifest) : nil
        let host = try Host(manifest: manifest, source: source) { watch?.note($0) }
        let report = ValidationReport(try host.validate(loading: isLoading))
        if options.has(.json) {
            try terminal.write(report.json)
        } else if report.problems.isEmpty {
            try terminal.write("no problems\n")
        }
        guard report.problems.isEmpty else {
            throw CommandError.invalid(report.problems.map(\.diagnostic))
        }
        return 0
    }
}

/// The result of `eaves validate`.
struct ValidationReport {
    /// One message, and the kind of the problem that it is about.
    struct Problem {
        let kind: String
        let diagnostic: Diagnostic
    }

    /// All messages, each once: several problems may have the same cause.
    let problems: [Problem]

    init(_ problems: [HostProblem]) {
        var known: Set<Diagnostic> = []
        self.problems = problems.flatMap { problem in
            problem.diagnostics.filter { known.insert($0).inserted }
                .map { Problem(kind: problem.kind, diagnostic: $0) }
        }
    }

    var json: JSON {
        ["schema": 1, "problems": .array(problems.map(\.json))]
    }
}

extension ValidationReport.Problem {
    fileprivate var json: JSON {
        [
            "kind": .string(kind),
            "message": .string(diagnostic.message),
            "fix": diagnostic.fix.map(JSON.string) ?? .null,
            "code": .integer(Int(diagnostic.code.rawValue)),
        ]
    }
}
