// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLife
import EavesModules
import EavesOutput

extension Subcommand {
    static let list = Subcommand(
        name: "list",
        summary: "show features and modules",
        operands: "[PATTERN]",
        completed: [.module],
        options: [
            .features, .modules, .services, .state, .provides, .by, .json, .manifest,
        ],
        discussion: """
            Reads what each module's file declares, and runs no module's code. A module that cannot be
            used is shown with its state, and with the reason. PATTERN is a part of the name of a feature,
            a module or a service, or a pattern for all of it, as in 'users-*'. Where modules share a
            binding, '--by' shows which of them is chosen, as in '--by user=alice'. On a terminal, texts
            are cut to its width, and a long list is shown by the program that PAGER names.
            """,
        run: .plain { try $0.list() })
}

extension OptionSpec {
    fileprivate static let features = OptionSpec("features", help: "show the features")
    fileprivate static let modules = OptionSpec("modules", help: "show the modules")
    fileprivate static let services = OptionSpec(
        "services", help: "show all services, and which modules provide them")
    fileprivate static let state = OptionSpec(
        "state", value: "STATE", completed: .oneOf(ModuleState.words),
        help: "only modules in this state, such as ready or missing")
    fileprivate static let provides = OptionSpec(
        "provides", value: "SERVICE", completed: .service,
        help: "only modules that provide this service")
}

extension SubcommandCall {
    private func question() throws(CommandError) -> ListQuestion {
        var question = ListQuestion(
            pattern: options.operands.first, service: options.value(.provides))
        if options.has(.features) { question.parts.insert(.features) }
        if options.has(.modules) { question.parts.insert(.modules) }
        if options.has(.services) { question.parts.insert(.services) }
        if let word = options.value(.state) {
            question.state = try ModuleState.named(word, of: "state")
        }
        return question
    }

    fileprivate func list() throws {
        let question = try question()
        let manifest = try options.choosingManifest(terminal)
        let catalog = Catalog(manifest: manifest, profile: .current)
        let answer = ListAnswer(question, catalog, manifest)
        if options.has(.json) {
            try terminal.write(answer.json)
        } else {
            try terminal.page(answer.text(terminal.outputStyle))
            // The table comes first, also where both outputs lead to the same terminal.
            try terminal.console.flush()
            // A problem of a directory is a problem of each module in it, and is reported once.
            var reported: Set<Diagnostic> = []
            for diagnostic in answer.moduleDiagnostics
            where reported.insert(diagnostic).inserted {
                terminal.warn(diagnostic)
            }
        }
        catalog.diagnostics.forEach(terminal.warn)
        // A host that does not answer at once says it in 'eaves generations'.
        let survey = try? RunningHost.survey(of: manifest, within: .milliseconds(500))
        for host in survey?.hosts ?? [] {
            host.obstacles.flatMap(\.problems).map(host.diagnostic).forEach(terminal.warn)
        }
    }
}
