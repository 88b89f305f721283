// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesChild
import EavesDeclaration
import EavesDiagnostics
import EavesIsolation
import EavesManifest
import EavesRules
import EavesSystem

/// Runs checks in probes: one after the other in one process, and if a check kills it, the rest in a new one.
struct ProbeSession {
    let module: InspectedModule
    let limit: Duration
    /// The rights that the module keeps; `nil` if it keeps those of the user.
    let permissions: Permissions?

    /// A module gets the warning that it is slow after so many slow measurements.
    private static let measurements = 3

    func run(
        _ checks: [DynamicCheck], _ results: inout CheckResults
    ) throws(VerifyError) {
        var rest = checks
        while true {
            rest.removeAll { results.contains($0) || results.skip($0) }
            if rest.isEmpty { break }
            let outcome = try probe(rest.map(\.id))
            for check in rest {
                if let result = result(of: check, outcome) { results.add(result) }
            }
            guard rest.contains(where: results.contains) else { throw failure(of: outcome) }
        }
        for check in checks where check.isMeasurement { try measureAgain(check, &results) }
    }

    /// Runs each check with every feature, in a process for each.
    func launchFeatures(
        _ checks: [DynamicCheck], _ results: inout CheckResults
    ) throws(VerifyError) {
        for check in checks where !results.skip(check) {
            let features = module.entry.declaration?.features ?? []
            guard !features.isEmpty else {
                results.add(ModuleVerification.Check(check, .skipped("it offers no feature")))
                continue
            }
            var single: [ModuleVerification.Check] = []
            for feature in features {
                let outcome = try probe([check.id], feature: feature.name)
                guard let result = result(of: check, outcome, of: feature.name) else {
                    throw failure(of: outcome)
                }
                single.append(result)
            }
            results.add(ModuleVerification.Check(check, joining: single))
        }
    }

    /// Measures a slow module again, because the machine may have been busy.
    private func measureAgain(
        _ check: DynamicCheck, _ results: inout CheckResults
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
        let request = ProbeRequest(
            module, checks: checks, feature: feature, permissions: permissions)
        do throws(SystemError) {
            return try ProbeProcess.run(request, limit: limit)
        } catch {
            throw .system(error)
        }
    }

    /// The result of a check; `nil` if the probe did not get to it.
    private func result(
        of check: DynamicCheck, _ outcome: ProbeOutcome, of feature: String? = nil
    ) -> ModuleVerification.Check? {
        if let pending = outcome.pending, pending.id == check.id {
            if case .exit = check.action, outcome.hasExited {
                return ModuleVerification.Check(check, conclusion(ofExit: outcome))
            }
            return result(of: check, outcome, printedBefore: pending.start, feature)
        }
        guard let probed = outcome.checks.first(where: { $0.id == check.id }),
            let reported = probed.conclusion
        else { return nil }
        var result = ModuleVerification.Check(
            check, conclusion(of: check, reported, outcome.observation))
        if result.outcome == .failed || result.outcome == .warned {
            result.output = outcome.printed(from: probed.start, to: probed.end)
        }
        if result.outcome == .failed { result.problems += refusals(outcome) }
        return result
    }

    /// Judges by what was seen from outside, if the probe itself has no objection.
    private func conclusion(
        of check: DynamicCheck, _ reported: CheckConclusion, _ observation: Observation
    ) -> CheckConclusion {
        guard case .passed = reported, let judgement = check.judgement else { return reported }
        if let (message, fix) = judgement(observation) { return warning(message, fix: fix) }
        guard check.witness != .outside || observation.beforeAndAfter != nil else {
            return .skipped("/proc does not show the process")
        }
        return .passed
    }

    /// Judges an exit with code 0 by the processes that it left behind.
    private func conclusion(ofExit outcome: ProbeOutcome) -> CheckConclusion {
        guard outcome.end.leftBehind > 0 else { return .passed }
        let left = outcome.end.leftBehind
        let processes = left == 1 ? "1 process" : "\(left) processes"
        return warning(
            "left \(processes) behind", fix: "end and await every process that the module starts")
    }

    private func warning(_ message: String, fix: String) -> CheckConclusion {
        .warned([
            Diagnostic(message, fix: fix, code: .badData).naming(module.entry.id, module.entry.path)
        ])
    }

    private func result(
        of check: DynamicCheck, _ outcome: ProbeOutcome, printedBefore: Int,
        _ feature: String?
    ) -> ModuleVerification.Check {
        let id = module.entry.id
        let death = outcome.death(limit: limit, originals: [id: module.entry.file])
        let prefix = feature.map { "feature '\($0)' " } ?? ""
        let diagnostic = Diagnostic(
            prefix + death.message(of: id), fix: death.fix, code: .crashed
        ).naming(id, module.entry.path)
        let isOfAnother = death.frame.map { $0.module != id } ?? false
        var result = ModuleVerification.Check(
            check, isOfAnother ? .skipped(prefix + death.message(of: id)) : .failed([diagnostic]))
        result.death = death
        if result.outcome == .failed { result.problems += refusals(outcome) }
        result.output = outcome.printed(from: printedBefore, to: .max)
        return result
    }

    /// The connections that its wall has refused it, which may be why a check failed.
    private func refusals(_ outcome: ProbeOutcome) -> [Diagnostic] {
        outcome.refusals.map { refusal in
            Diagnostic(
                refusal, fix: "add it there, if the module should have it", code: .configuration
            ).naming(module.entry.id, module.entry.path)
        }
    }

    private func failure(of outcome: ProbeOutcome) -> VerifyError {
        .probeFailed(
            outcome.end.ending,
            output: String(decoding: outcome.printed(from: 0, to: .max), as: UTF8.self))
    }
}
