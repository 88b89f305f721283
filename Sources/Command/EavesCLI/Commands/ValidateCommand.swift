// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesIsolation
import EavesJSON
import EavesOutput
import EavesSources

extension Subcommand {
    static let validate = Subcommand(
        name: "validate",
        summary: "check that modules, features and bindings fit together",
        options: [.json, .manifest, .load, .noBuildBeforeLoading],
        discussion: """
            Compares what all modules declare with what the manifest binds, and shows what is missing,
            ambiguous or circular. No module's code runs, and none is built. With '--load', the modules are
            built, loaded and register, and what they register is checked, too; what they print goes to
            standard error.
            """,
        run: .plain { try $0.validate() })
}

extension OptionSpec {
    fileprivate static let load = OptionSpec(
        "load", help: "also load the modules, and check what they register")
    fileprivate static let noBuildBeforeLoading = OptionSpec(
        "no-build", help: "with --load: do not build the modules first")
}

extension SubcommandCall {
    fileprivate func validate() throws {
        let manifest = try options.manifest()
        let isLoading = options.has(.load)
        let builds = isLoading && !options.has(.noBuildBeforeLoading)
        if isLoading { try terminal.console.claimOutput() }
        let progress = LoadProgress(terminal: terminal, isVerbose: false)
        var configuration = Host.Configuration()
        configuration.isolation = .processes
        configuration.recordsCrashes = isLoading
        configuration.observer = builds ? progress.showBuild : nil
        let host = try Host(
            manifest: manifest,
            sources: builds ? .folders(usesColor: terminal.isColored) : .files, configuration)
        // Loading starts modules.
        defer { if isLoading { host.stop() } }
        let problems = try host.mistakes(loading: isLoading)
        let report = ValidationReport(
            problems: problems,
            warnings: host.warnOfModules())
        let outdated = builds ? [] : host.outdatedModules.map(\.id)
        if !outdated.isEmpty { terminal.warn(Self.warning(about: outdated)) }
        for warning in report.warnings { terminal.warn(warning.message) }
        if options.has(.json) {
            try terminal.write(report.json)
        } else if report.problems.isEmpty {
            let end = outdated.isEmpty ? "" : " in what the modules declare"
            try terminal.write("no problems\(end)\n")
        }
        guard report.problems.isEmpty else {
            throw CommandError.invalid(report.messages)
        }
    }

    /// Says that sources were not checked: only a build shows whether they compile, and what they make.
    private static func warning(about ids: [String]) -> Diagnostic {
        let limit = 5
        let named = ids.prefix(limit).joined(separator: ", ") + (ids.count > limit ? ", …" : "")
        let files =
            ids.count == 1
            ? "\(named): its file is not built from its sources as they are now"
            : "\(ids.count) modules (\(named)): their files are not built from their sources as they "
                + "are now"
        return Diagnostic(
            "\(files), and 'validate' does not compile them",
            fix: "run 'eaves build', or check with 'eaves validate --load'", code: .badData)
    }
}

struct ValidationReport {
    let problems: [Host.Mistake]
    /// The things that work, and may surprise, each with the word that stands for it: packages of which several modules
    /// have a copy, needs that are not declared.
    var warnings: [(kind: String, message: Diagnostic)] = []

    /// The problems for people: one message for all modules that lack the same interface.
    var messages: [Diagnostic] {
        var users: [InterfaceProblem: [CatalogEntry]] = [:]
        for lack in problems.compactMap(\.lack) {
            users[lack.problem, default: []].append(lack.module)
        }
        return problems.compactMap { problem in
            guard let lack = problem.lack else { return problem.diagnostic }
            return users.removeValue(forKey: lack.problem).map(lack.problem.diagnostic)
        }
    }

    var json: JSON {
        [
            "schema": 1, "problems": .array(problems.map(\.json)),
            "warnings": .array(
                warnings.map { kind, warning in
                    [
                        "kind": .string(kind), "message": .string(warning.message),
                        "fix": .text(warning.fix),
                    ]
                }),
        ]
    }
}

extension Host.Mistake {
    fileprivate var json: JSON {
        [
            "kind": .string(kind),
            "message": .string(diagnostic.message),
            "fix": .text(diagnostic.fix),
            "code": .integer(Int(diagnostic.code.rawValue)),
        ]
    }
}
