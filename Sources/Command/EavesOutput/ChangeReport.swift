// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesHost
import EavesManifest
import EavesProcess
package import EavesRestart

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
            let words =
                "refused \(generation.module) generation \(generation.id), and generation "
                + "\(serving.id) serves on: "
            for problem in generation.problems { warn(problem.behind(words)) }
        case .kept(let error):
            for problem in error.problems { warn(problem.behind("not taken on: ")) }
        case .lingering(_, let error), .stateLost(let error):
            error.problems.forEach(warn)
        case .retired(let generation):
            if isVerbose {
                say("retired \(generation.module): generation \(generation.id) has drained")
            }
        case .shared(let service, let shares) where shares.count == 1:
            say("\(service): \(shares[0].module) has all calls again")
        case .shared(let service, let shares):
            say("\(service): \(Weights(shares, by: Weights.callKey).words)")
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
        retreat.problems.forEach(warn)
    }

    package func report(_ event: HotRestart.Event) {
        switch event {
        case .began(let cause):
            say("starting a fresh process: \(cause.words)")
        case .failed(_, let error):
            for problem in error.problems { warn(problem.behind("not restarted: ")) }
        case .overdue:
            warn(
                Diagnostic(
                    "the feature did not end in time: calls that are under way in it are lost",
                    fix: "let it end when its task is cancelled", code: .crashed))
        case .stateLost(let modules):
            warn(
                Diagnostic(
                    "state is lost that this process has written after it was handed over: "
                        + modules.joined(separator: ", "),
                    fix: "use services with state by 'call', and let calls end in time",
                    code: .crashed))
        case .tookOver(let process):
            say("this process took over from \(process)")
        case .followed(let process, let signal):
            say("this process goes on after \(process) was ended by \(SignalName.of(signal))")
        case .handedOver:
            // The other process says so.
            break
        }
    }
}

extension HotRestart.Cause {
    fileprivate var words: String {
        switch self {
        case .request: "it was asked for"
        case .program: "the program has a new file"
        case .modules(let ids):
            "only a fresh process can take the new \(ids.map { "'\($0)'" }.joined(separator: ", "))"
        case .hang(let id): "the constructors of '\(id)' do not return"
        case .generations(let count):
            "\(count) generation\(count == 1 ? "" : "s") in memory serve\(count == 1 ? "s" : "") no longer"
        case .bytes(let count): "code that serves no longer takes \(count >> 20) MB"
        }
    }
}
