// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesIsolation
import EavesJSON
import EavesOutput
import EavesProcess
import EavesSystem
import EavesVerify

struct VerifyReport {
    var verdicts: [ModuleVerification] = []
    private let showsAll: Bool

    /// - Parameter showsAll: Whether the text also shows checks that passed or were skipped.
    init(showsAll: Bool) {
        self.showsAll = showsAll
    }

    /// The exit code: that of the first failure of the first module that failed.
    var code: FailureCode? { verdicts.firstNonNil(\.code) }

    var json: JSON {
        ["schema": 1, "modules": .array(verdicts.map(Self.json))]
    }

    /// The text about one module: a heading, and below it a line for each check, with what is wrong.
    func text(of verdict: ModuleVerification) -> String {
        let entry = verdict.module
        let name = [entry.id, entry.declaration?.version].compactMap { $0 }.joined(separator: " ")
        let shown = verdict.checks.filter { showsAll || $0.isWorthALine }
        let width = shown.map(\.id.count).max() ?? 0
        let wall = verdict.isWalled ? ", behind its wall" : ""
        let heading =
            "\(name) (\(entry.path)): \(Self.counts(of: verdict))\(wall)".escapedLine + "\n"
        let lines = shown.map { check in
            let head = "  \(check.outcome.rawValue.padded(to: 7))  "
            guard !check.details.isEmpty else {
                return head + check.id.padded(to: width) + "  " + check.remark.escapedLine + "\n"
            }
            return head + check.id + "\n"
                + check.details.map { "           \($0)\n" }.joined()
        }
        return heading + lines.joined()
    }

    var summary: String {
        let failed = verdicts.filter { !$0.isPassed }
        guard !verdicts.isEmpty else { return "no modules\n" }
        let count = verdicts.count == 1 ? "1 module" : "\(verdicts.count) modules"
        guard failed.isEmpty else {
            let names = failed.map(\.module.id).joined(separator: ", ").escapedLine
            return "\(count), \(failed.count) failed: \(names)\n"
        }
        let warnings = verdicts.reduce(0) { $0 + $1.count(of: .warned) }
        let remark =
            warnings == 0 ? "" : warnings == 1 ? ", with 1 warning" : ", with \(warnings) warnings"
        return "\(count) passed\(remark)\n"
    }

    /// A heading and the first eight lines of a text; empty if there are no lines.
    static func excerpt(_ heading: String, _ lines: [String]) -> [String] {
        let limit = 8
        guard !lines.isEmpty else { return [] }
        let rest = lines.count > limit ? ["  … (\(lines.count - limit) more)"] : []
        return [heading] + lines.prefix(limit).map { "  " + $0 } + rest
    }

    /// The calls up to the outermost one in a module, innermost first; empty if there is only one. A
    /// place that stands several times in a row is shown once.
    ///
    /// - Parameter frames: The stack, innermost first; the module is `nil` for code of the host and of
    ///   libraries.
    static func calls(_ frames: [(place: String, module: String?)]) -> [String] {
        guard let last = frames.lastIndex(where: { $0.module != nil }) else { return [] }
        var places: [String] = []
        for frame in frames[...last] where frame.place != places.last { places.append(frame.place) }
        return places.count > 1 ? places : []
    }

    private static func counts(of verdict: ModuleVerification) -> String {
        let outcomes: [ModuleVerification.Check.Outcome] = [.failed, .warned, .passed, .skipped]
        return outcomes.compactMap { outcome in
            let count = verdict.count(of: outcome)
            return count == 0 ? nil : "\(count) \(outcome.rawValue)"
        }.joined(separator: ", ")
    }

    private static func json(_ verdict: ModuleVerification) -> JSON {
        [
            "id": .string(verdict.module.id),
            "path": .string(verdict.module.path),
            "passed": .bool(verdict.isPassed),
            "walled": .bool(verdict.isWalled),
            "checks": .array(verdict.checks.map(json)),
        ]
    }

    private static func json(_ check: ModuleVerification.Check) -> JSON {
        let messages = check.problems.map(\.message).joined(separator: "; ")
        let fixes = check.problems.compactMap(\.fix).joined(separator: "; ")
        var signal: Int32?
        if case .signal(let number) = check.death?.cause { signal = number }
        return [
            "id": .string(check.id),
            "meaning": .string(check.meaning),
            "result": .string(check.outcome.rawValue),
            "message": .text(messages.isEmpty ? check.reason : messages),
            "fix": .text(fixes.isEmpty ? nil : fixes),
            "signal": signal.map { .integer(Int($0)) } ?? .null,
            "signalName": .text(signal.map(SignalName.of)),
            "frame": .text(check.death?.frame?.place),
            "backtrace": .array((check.death?.frames ?? []).map { .string($0.place) }),
            "output": .text(check.output.isEmpty ? nil : check.printed),
        ]
    }
}

extension ModuleVerification.Check {
    fileprivate var printed: String { String(decoding: output, as: UTF8.self) }

    /// Whether the text shows the check even if not all checks are shown.
    fileprivate var isWorthALine: Bool { outcome == .failed || outcome == .warned }

    fileprivate var remark: String { reason ?? meaning }

    fileprivate var details: [String] {
        guard !problems.isEmpty else { return [] }
        var lines = problems.flatMap { diagnostic in
            Self.lines(diagnostic.message.escapedMessage)
                + (diagnostic.fix.map { Self.lines("fix: " + $0.escapedMessage) } ?? [])
        }
        let frames = (death?.frames ?? []).map { ($0.place.escapedLine, $0.module) }
        lines += VerifyReport.excerpt("it was in:", VerifyReport.calls(frames))
        lines += VerifyReport.excerpt("it printed:", Self.lines(printed))
        return lines
    }

    /// The lines that are not empty. A line ends only where ``Terminal`` ends it, too.
    private static func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n").map(String.init)
    }
}
