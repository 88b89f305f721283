// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesProcess
package import EavesRestart
import EavesSystem

extension Terminal {
    /// Prints a step of a hot restart.
    package func report(_ event: HotRestart.Event) {
        switch event {
        case .began(let cause):
            say("starting a fresh process: \(cause.words)")
        case .failed(_, let error):
            for problem in error.problems {
                warn(
                    Diagnostic(
                        "not restarted: \(problem.message)", fix: problem.fix,
                        code: problem.code))
            }
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
