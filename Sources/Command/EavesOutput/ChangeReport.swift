// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesHost
import EavesManifest

extension Terminal {
    /// Prints a change that a live host has taken on, or could not take on.
    ///
    /// - Parameter isVerbose: Whether to name also a generation that has drained.
    package func report(_ change: HostChange, isVerbose: Bool) {
        switch change {
        case .swapped(let new, let old):
            say("swapped \(new.module): generation \(new.id) serves (was \(old.id))")
        case .bound(let service, let from, let to):
            say("\(service): \(to) serves" + (from.map { " (was \($0))" } ?? ""))
        case .stopped(let generation):
            say("stopped \(generation.module): generation \(generation.id) serves no longer")
        case .refused(let generation, let serving):
            for problem in generation.problems {
                warn(
                    Diagnostic(
                        "refused \(generation.module) generation \(generation.id), and generation "
                            + "\(serving.id) serves on: \(problem.message)", fix: problem.fix,
                        code: problem.code))
            }
        case .kept(let error):
            for problem in error.problems {
                warn(
                    Diagnostic(
                        "not taken on: \(problem.message)", fix: problem.fix,
                        code: problem.code))
            }
        case .lingering(_, let error), .stateLost(let error):
            error.problems.forEach(warn)
        case .retired(let generation):
            if isVerbose {
                say("retired \(generation.module): generation \(generation.id) has drained")
            }
        case .shared(let service, let shares) where shares.count == 1:
            say("\(service): \(shares[0].module) has all calls again")
        case .shared(let service, let shares):
            let weights = Weights(
                shares, by: Weights.callKey)
            say("\(service): \(weights.words)")
        case .rolledBack(let retreat):
            report(retreat)
        case .proven(let module, let service):
            if isVerbose {
                say("\(service.map { "\($0): " } ?? "")\(module) has passed its probation")
            }
        }
    }

    private func report(_ retreat: HostChange.Retreat) {
        let subject = retreat.service.map { "\($0): \(retreat.module)" } ?? retreat.module
        let target = "\(retreat.to ?? "its last file") serves again"
        warn(
            Diagnostic(
                "rolled back \(subject) on probation, and \(target): "
                    + retreat.reasons.joined(separator: "; "),
                fix: retreat.isQuarantined
                    ? "mend it, or let it in as it is with 'eaves quarantine clear \(retreat.module)'"
                    : nil, code: .crashed))
        for problem in retreat.problems {
            warn(
                Diagnostic(
                    problem.message, fix: problem.fix, code: problem.code))
        }
    }
}
