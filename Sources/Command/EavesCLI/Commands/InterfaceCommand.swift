// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCode
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesOutput
import EavesReview
import EavesSources
import EavesSystem

extension Subcommand {
    static let interface = Subcommand(
        name: "interface",
        summary: "say what changed in interface modules, and set their versions",
        operands: "check|bump|actors [ID…]",
        completed: [.oneOf(InterfaceWork.Action.words), .interface],
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
        run: .plain { try InterfaceWork($0).run() })
}

extension OptionSpec {
    fileprivate static let to = OptionSpec(
        "to", value: "VERSION", help: "with bump: the version, which has to be the one that follows"
    )
}

/// The check of interface modules, or the next version of them.
private struct InterfaceWork {
    enum Action: String, CaseIterable {
        case check, bump, actors
    }

    private let call: SubcommandCall
    private let action: Action
    private var options: ParsedOptions { call.options }
    private var terminal: Terminal { call.terminal }

    init(_ call: SubcommandCall) throws {
        self.call = call
        let (options, words) = (call.options, call.options.operands)
        func wrong(_ expected: String) -> CommandError {
            .wrongOperands(command: Subcommand.interface.name, expected: expected, found: words)
        }
        guard let action = words.first.flatMap(Action.init(rawValue:)) else {
            throw wrong(Subcommand.interface.operands)
        }
        if options.has(.to), action != .bump || words.count != 2 {
            throw wrong("'bump' and one module with '--to'")
        }
        if action == .actors, words.count < 2 || options.has(.json) {
            throw wrong("'actors' and a module, without '--json'")
        }
        self.action = action
    }

    func run() throws {
        let builder = Builder(in: try? options.manifest(), usesColor: terminal.isColored)
        let requests = try requests()
        try builder.build(requests, showing: terminal)
        if requests.isEmpty { terminal.say("there is no interface module with sources") }
        switch action {
        case .check: try check(requests.map(builder.review))
        case .bump:
            try bump(requests.map(builder.review))
            // The files have the new versions, too.
            try builder.build(requests, showing: terminal)
        case .actors: try requests.forEach { try write(builder.distributedCode(for: $0)) }
        }
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
        let reports = reviews.map { InterfaceReport(review: $0) }
        try call.print(
            ["schema": 1, "interfaces": .array(reports.map { $0.json() })],
            or: reports.map(\.text).joined())
        let problems = reports.compactMap(\.problem)
        guard problems.isEmpty else { throw CommandError.invalid(problems) }
    }

    private func bump(_ reviews: [InterfaceReview]) throws {
        var bumped: [JSON] = []
        for review in reviews {
            let version = try review.bump(to: options.value(.to))
            let report = InterfaceReport(review: review)
            for line in report.bumpLines(version) { terminal.say(line) }
            bumped.append(report.json(bumpedTo: version))
        }
        if options.has(.json) {
            try terminal.write(["schema": 1, "interfaces": .array(bumped)] as JSON)
        }
    }
}

extension BuildRequest {
    fileprivate var isOfInterface: Bool {
        let file = Path.join(folder, ModuleDeclaration.fileName)
        return (try? ModuleDeclaration.load(file).layer) == .interface
    }
}

/// The comparison of one interface module with its baseline, as JSON and as text.
struct InterfaceReport {
    let review: InterfaceReview

    var text: String {
        guard let baseline = review.baseline else {
            return "\(review.id) \(review.version): no baseline yet\n"
        }
        let heading = "\(review.id) \(review.version): "
        if review.changes.isEmpty {
            let words =
                review.hasOtherText
                ? "no binary sees what changed since \(baseline.version)"
                : "nothing changed since \(baseline.version)"
            return heading + words + "\n"
        }
        let count = review.changes.count == 1 ? "1 change" : "\(review.changes.count) changes"
        let lines = review.changes.map { "  \($0.message)  (\(Self.words($0.breaks)))\n" }
        return heading + "\(count) since \(baseline.version), \(Self.words(review.broken))\n"
            + lines.joined()
    }

    /// - Parameter bumped: The version if it was set; `nil` for the one that is there.
    func json(bumpedTo bumped: String? = nil) -> JSON {
        [
            "id": .string(review.id),
            "version": .string(bumped ?? review.version),
            "baseline": review.baseline.map { .string($0.version.description) } ?? .null,
            "following": review.following.map { .string($0.description) } ?? .null,
            "isRight": .bool(bumped != nil || problem == nil),
            "breaks": Self.json(review.broken),
            "changes": .array(
                review.changes.map { change in
                    [
                        "change": .string(change.kind.rawValue),
                        "declaration": .string(change.name),
                        "message": .string(change.message),
                        "breaks": Self.json(change.breaks),
                    ]
                }),
        ]
    }

    /// The reason why the state of the module is not one to ship; `nil` if it is.
    var problem: Diagnostic? {
        let bump = "eaves interface bump \(review.id)"
        guard let following = review.following, let baseline = review.baseline else {
            return Diagnostic(
                "\(review.id): there is no \(InterfaceBaseline.fileName) to compare with",
                fix: "write it with '\(bump)', and commit it", code: .notFound)
        }
        if !review.broken.isEmpty {
            return Diagnostic(
                "\(review.id): the changes since \(baseline.version) break "
                    + "\(Self.names(review.broken)): modules that were built against it do not run "
                    + "with version \(following), and have to be built again",
                fix: "add instead of changing, and give each new requirement a default; or go on "
                    + "to \(following) with '\(bump)'",
                code: .incompatible)
        }
        guard !review.hasRightVersion else { return nil }
        return Diagnostic(
            "\(review.id): expected a version \(following), which follows from the changes, found "
                + "\(review.version.quoted)",
            fix: "set it with '\(bump)'", code: .badData)
    }

    func bumpLines(_ version: String) -> [String] {
        var lines: [String]
        if review.baseline == nil {
            lines = ["\(review.id) \(version): wrote its first baseline"]
        } else if version == review.version {
            lines = [
                "\(review.id) \(version): "
                    + (review.changes.isEmpty ? "nothing to bump" : "wrote its baseline")
            ]
        } else {
            lines = ["\(review.id): \(review.version) → \(version)"]
        }
        if !review.broken.isEmpty {
            lines.append(
                "\(review.id): a new major version: build every module again that names it; one "
                    + "process cannot have modules of both")
        }
        return lines
    }

    private static func words(_ breaks: Set<InterfaceChange.Party>) -> String {
        "breaks \(names(breaks))"
    }

    private static func names(_ breaks: Set<InterfaceChange.Party>) -> String {
        let names = breaks.map(\.rawValue).sorted()
        return names.isEmpty ? "nothing" : names.joined(separator: " and ")
    }

    private static func json(_ breaks: Set<InterfaceChange.Party>) -> JSON {
        .texts(breaks.map(\.rawValue).sorted())
    }
}
