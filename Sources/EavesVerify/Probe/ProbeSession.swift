// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesSystem

/// Has checks run by probes: one after the other in one process, and when that dies of one of them,
/// the others in a new one.
struct ProbeSession {
    let subject: Subject
    let command: ProbeCommand
    let limit: Duration

    /// How often a module may be slow before that is said of it.
    private static let measurements = 3

    /// Runs the checks of one stage.
    func run(
        _ checks: [any DynamicCheck.Type], _ results: inout CheckResults
    ) throws(VerifyError) {
        var rest = checks
        while true {
            rest.removeAll { results.contains($0) || results.skip($0) }
            if rest.isEmpty { break }
            let outcome = try probe(rest.map { $0.id })
            take(outcome, of: rest, into: &results)
            guard rest.contains(where: results.contains) else { throw failure(of: outcome) }
        }
        for check in checks where check.isMeasurement { try measureAgain(check, &results) }
    }

    /// Launches every feature with each of the checks, of which there is one.
    func launchFeatures(
        _ checks: [any DynamicCheck.Type], _ results: inout CheckResults
    ) throws(VerifyError) {
        for check in checks where !results.skip(check) {
            let features = subject.entry.declaration?.features ?? []
            guard !features.isEmpty else {
                results.add(CheckResult(check, .skipped("it offers no feature")))
                continue
            }
            var single: [CheckResult] = []
            for feature in features {
                let outcome = try probe([check.id], feature: feature.name)
                guard let result = result(of: check, outcome, of: feature.name) else {
                    throw failure(of: outcome)
                }
                single.append(result)
            }
            results.add(CheckResult(check, joining: single))
        }
    }

    /// Measures again what was slow: it may have been the machine.
    private func measureAgain(
        _ check: any DynamicCheck.Type, _ results: inout CheckResults
    ) throws(VerifyError) {
        for _ in 1..<Self.measurements where results.outcome(of: check) == .warned {
            let outcome = try probe([check.id])
            guard let again = result(of: check, outcome), again.outcome == .passed else { continue }
            results.add(again)
        }
    }

    private func probe(
        _ checks: [String], feature: String? = nil
    ) throws(VerifyError) -> ProbeOutcome {
        let request = ProbeRequest(subject, checks: checks, feature: feature)
        do throws(SystemError) {
            return try ProbeProcess.run(
                command.executable, command.arguments + [request.json], limit: limit)
        } catch {
            throw .system(error)
        }
    }

    private func take(
        _ outcome: ProbeOutcome, of checks: [any DynamicCheck.Type],
        into results: inout CheckResults
    ) {
        for check in checks {
            if let result = result(of: check, outcome) { results.add(result) }
        }
    }

    /// `nil` if the probe did not come to it.
    private func result(
        of check: any DynamicCheck.Type, _ outcome: ProbeOutcome, of feature: String? = nil
    ) -> CheckResult? {
        var start = 0
        for event in outcome.events {
            switch event {
            case .started(check.id, let printed):
                start = printed
            case .finished(check.id, let finding, let printed):
                var result = CheckResult(check, finding)
                if result.outcome == .failed || result.outcome == .warned {
                    result.output = outcome.printed(from: start, to: printed)
                }
                return result
            default:
                break
            }
        }
        guard let pending = outcome.pending, pending.id == check.id else { return nil }
        if check == EndsCheck.self, outcome.ending == .exited(0), !outcome.isOverdue {
            return CheckResult(check, .passed)
        }
        return result(of: check, outcome, printedBefore: pending.printed, feature)
    }

    /// Of a check that took its process along.
    private func result(
        of check: any DynamicCheck.Type, _ outcome: ProbeOutcome, printedBefore: Int,
        _ feature: String?
    ) -> CheckResult {
        let id = subject.entry.id
        let death = outcome.death(limit: limit, originals: [id: subject.entry.file])
        let prefix = feature.map { "feature '\($0)' " } ?? ""
        let diagnostic = Diagnostic(
            prefix + death.message(of: id), fix: death.fix, code: .crashed
        ).naming(id, subject.entry.path)
        let isOthers = death.frame.map { $0.module != id } ?? false
        var result = CheckResult(
            check, isOthers ? .skipped(prefix + death.message(of: id)) : .failed([diagnostic]))
        result.death = death
        result.output = outcome.printed(from: printedBefore, to: .max)
        return result
    }

    private func failure(of outcome: ProbeOutcome) -> VerifyError {
        .probeFailed(
            outcome.ending,
            output: String(decoding: outcome.printed(from: 0, to: .max), as: UTF8.self))
    }
}
