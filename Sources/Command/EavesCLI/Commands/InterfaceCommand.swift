// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCode
import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesOutput
import EavesReview
import EavesSources
import EavesSystem

extension Subcommand {
    /// `eaves interface check|bump [ID…]`, `eaves interface actors ID [PROTOCOL…]`
    static let interface = Subcommand(
        name: "interface",
        summary: "say what changed in interface modules, and set their versions",
        operands: "check|bump|actors [ID…]",
        operandCount: 1...Int.max,
        completed: [.oneOf(["check", "bump", "actors"]), .interface],
        options: [.json, .manifest, .to],
        discussion: """
            Builds interface modules, and compares them with the baseline.json in their folders. 'check'
            says what changed, and whether it breaks providers or users. 'bump' writes the version
            that follows into module.json, and a new baseline. An ID can also be a folder. Without one, it
            takes each interface module that has its sources in the manifest's directories.

            'actors' takes one ID and names of its protocols, and prints the sources of distributed actors
            for these, with which an actor system reaches a service on another machine. Without names,
            it takes all that can have one.
            """,
        run: .synchronous { try InterfaceWork($0).run() })
}

extension OptionSpec {
    fileprivate static let to = OptionSpec(
        "to", value: "VERSION", help: "with bump: the version, which has to be the one that follows"
    )
}

/// The check of interface modules, or the next version of them.
private struct InterfaceWork {
    private enum Action: String, CaseIterable {
        case check, bump, actors
    }

    private let options: ParsedOptions
    private let terminal: Terminal
    private let action: Action

    init(_ call: SubcommandCall) throws {
        options = call.options
        terminal = call.terminal
        let words = options.operands
        guard let action = words.first.flatMap(Action.init(rawValue:)) else {
            throw CommandError.wrongOperands(
                command: Subcommand.interface.name, expected: Subcommand.interface.operands,
                found: words)
        }
        if options.has(.to), action != .bump || words.count != 2 {
            throw CommandError.wrongOperands(
                command: Subcommand.interface.name, expected: "'bump' and one module with '--to'",
                found: words)
        }
        if action == .actors, words.count < 2 || options.has(.json) {
            throw CommandError.wrongOperands(
                command: Subcommand.interface.name,
                expected: "'actors' and a module, without '--json'", found: words)
        }
        self.action = action
    }

    func run() throws -> Int32 {
        let builder = Builder(
            forHost: Builder.thisProgram, lookup: InterfaceLookup(in: try? options.manifest()),
            usesColor: terminal.isColored)
        let requests = try requests()
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        let errors = builder.build(requests, report: progress.show).compactMap(\.error)
        guard errors.isEmpty else { throw CommandError.notBuilt(errors) }
        if requests.isEmpty { terminal.say("there is no interface module with sources") }
        switch action {
        case .check: try check(requests.map(builder.review))
        case .bump:
            try bump(requests.map(builder.review))
            // The files have the new versions, too.
            let errors = builder.build(requests, report: progress.show).compactMap(\.error)
            guard errors.isEmpty else { throw CommandError.notBuilt(errors) }
        case .actors: try requests.forEach { try write(builder.distributedCode(for: $0)) }
        }
        return 0
    }

    private func write(_ code: DistributedCode) throws {
        let wanted = Array(options.operands.dropFirst(2))
        let known = code.names + code.refused.map(\.name)
        if let unknown = wanted.first(where: { !known.contains($0) }) {
            throw CommandError.unknownChoice(of: "protocol", unknown, known: known.sorted())
        }
        let refused = code.refused.filter { wanted.contains($0.name) }.map { name, reason in
            let requirement = reason.requirement.map { "'\($0)': " } ?? ""
            return Diagnostic(
                "\(reason.place): '\(name)' can have no distributed actor: "
                    + requirement + reason.reason,
                fix: "change the protocol, or leave it out", code: .badData)
        }
        guard refused.isEmpty else { throw CommandError.invalid(refused) }
        try terminal.write(code.source(of: wanted.isEmpty ? code.names : wanted))
    }

    /// The interface modules to compare.
    private func requests() throws -> [BuildRequest] {
        var chosen = ParsedOptions()
        chosen.values = options.values.filter { $0.key == OptionSpec.manifest.long }
        chosen.operands = Array(options.operands.dropFirst())
        // Protocols stand behind the module.
        if action == .actors { chosen.operands.removeSubrange(1...) }
        let call = SubcommandCall(options: chosen, terminal: terminal)
        let requests = try call.buildRequests().map { request in
            var request = request
            // Either configuration has the same interface.
            request.configuration = nil
            return request
        }
        return chosen.operands.isEmpty ? requests.filter(\.isOfInterface) : requests
    }

    private func check(_ reviews: [InterfaceReview]) throws {
        let reports = reviews.map { InterfaceReport($0) }
        if options.has(.json) {
            try terminal.write(
                ["schema": 1, "interfaces": .array(reports.map(\.json))] as JSON)
        } else {
            try terminal.write(reports.map(\.text).joined())
        }
        let problems = reports.compactMap(\.problem)
        guard problems.isEmpty else { throw CommandError.invalid(problems) }
    }

    private func bump(_ reviews: [InterfaceReview]) throws {
        var bumped: [JSON] = []
        for review in reviews {
            let version = try review.bump(to: options.value(.to))
            let report = InterfaceReport(review)
            for line in report.bumpLines(version) { terminal.say(line) }
            bumped.append(report.json(bumpedTo: version))
        }
        if options.has(.json) {
            try terminal.write(["schema": 1, "interfaces": .array(bumped)] as JSON)
        }
    }
}

extension BuildRequest {
    /// Whether the folder declares an interface module.
    fileprivate var isOfInterface: Bool {
        let file = Path.join(folder, ModuleDeclaration.fileName)
        return (try? ModuleDeclaration.load(file).layer) == .interface
    }
}
