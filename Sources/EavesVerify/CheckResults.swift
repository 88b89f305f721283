// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How the checks of one module have ended so far.
struct CheckResults {
    private var results: [String: CheckResult] = [:]
    /// The ids of those without which others say nothing: they failed, or were skipped for that.
    private var unmet: Set<String> = []

    /// In the order of the list.
    var inOrder: [CheckResult] { CheckList.all.compactMap { results[$0.id] } }

    func contains(_ check: any Check.Type) -> Bool { results[check.id] != nil }

    /// `nil` if it was not run yet.
    func outcome(of check: any Check.Type) -> CheckResult.Outcome? { results[check.id]?.outcome }

    mutating func add(_ result: CheckResult) {
        results[result.id] = result
        if result.outcome == .failed { unmet.insert(result.id) }
    }

    /// Skips a check if something that it needs did not pass.
    ///
    /// - Returns: Whether it was skipped.
    mutating func skip(_ check: any Check.Type) -> Bool {
        guard let need = check.needs.first(where: unmet.contains) else { return false }
        // What did not pass first is the reason, not what was skipped for it.
        let isConsequence = results[need]?.outcome == .skipped
        let reason = isConsequence ? results[need]?.reason : nil
        results[check.id] = CheckResult(check, .skipped(reason ?? "'\(need)' did not pass"))
        unmet.insert(check.id)
        return true
    }
}
