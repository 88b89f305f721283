// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem

/// The result of one check of one module, as it is reported.
package struct CheckResult: Sendable {
    /// The raw values are the words that scripts know.
    package enum Outcome: String, Sendable {
        case passed, failed, warned, skipped
    }

    package let id: String
    package let meaning: String
    package var outcome: Outcome
    /// The messages; empty if the check passed or was skipped.
    package var diagnostics: [Diagnostic] = []
    /// The reason why it was skipped.
    package var reason: String?
    /// How the process died, if the check took it along.
    package var death: ProbeDeath?
    /// The bytes that the module printed during the check, if it did not pass.
    package var output: [UInt8] = []

    init(_ check: any Check, _ conclusion: CheckConclusion) {
        id = check.id
        meaning = check.meaning
        switch conclusion {
        case .passed: outcome = .passed
        case .warned(let diagnostics): (outcome, self.diagnostics) = (.warned, diagnostics)
        case .failed(let diagnostics): (outcome, self.diagnostics) = (.failed, diagnostics)
        case .skipped(let reason): (outcome, self.reason) = (.skipped, reason)
        }
    }

    /// Joins the results of one check over several things, each in a process of its own.
    init(_ check: any Check, joining results: [CheckResult]) {
        self.init(check, CheckConclusion(joining: results.map(\.conclusion)))
        death = results.lazy.compactMap(\.death).first
        for result in results where output.isEmpty { output = result.output }
    }

    private var conclusion: CheckConclusion {
        switch outcome {
        case .passed: .passed
        case .warned: .warned(diagnostics)
        case .failed: .failed(diagnostics)
        case .skipped: .skipped(reason ?? "")
        }
    }
}

/// The results of one module's checks so far.
struct CheckResults {
    private var results: [String: CheckResult] = [:]
    /// The ids of the checks that failed, or were skipped because such a one did not pass.
    private var unmet: Set<String> = []

    /// The results in the order of the list.
    var inOrder: [CheckResult] { CheckList.all.compactMap { results[$0.id] } }

    func contains(_ check: any Check) -> Bool { results[check.id] != nil }

    /// `nil` if the check did not run yet.
    func outcome(of check: any Check) -> CheckResult.Outcome? { results[check.id]?.outcome }

    mutating func add(_ result: CheckResult) {
        results[result.id] = result
        if result.outcome == .failed { unmet.insert(result.id) }
    }

    /// Skips a check if one that it presupposes did not pass.
    ///
    /// - Returns: Whether it was skipped.
    mutating func skip(_ check: any Check) -> Bool {
        guard let id = check.presupposes.first(where: unmet.contains) else { return false }
        // The reason names the check that failed first, not one that was skipped because of it.
        let isConsequence = results[id]?.outcome == .skipped
        let reason = isConsequence ? results[id]?.reason : nil
        results[check.id] = CheckResult(check, .skipped(reason ?? "'\(id)' did not pass"))
        unmet.insert(check.id)
        return true
    }
}
