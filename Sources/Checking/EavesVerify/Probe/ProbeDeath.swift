// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesLoader
import EavesProcess
package import EavesTools
import EavesSystem
package import EavesIsolation
import Glibc

/// The death of a probe's process during a check.
package struct ProbeDeath: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case signal(Int32)
        /// The code called `exit` with this code.
        case exit(Int32)
        /// The check did not finish within this time.
        case overdue(Duration)
        /// Code of the module wrote into the channel on which the probe reports.
        case forgery
        /// The processes have crossed this limit together.
        case excess(Excess)
        /// The supervisor of the process was gone before it.
        case supervisorLost
    }

    /// A limit on a probe and all processes that it starts.
    package typealias Excess = SupervisedProcess.Excess

    package let cause: Cause
    /// The functions that were running, innermost first; empty if that is unknown.
    package let frames: [CrashFrame]
    /// The culprit.
    package var blame = Blame.unknown

    /// The culprit of a death, as the process itself has reported it.
    package enum Blame: Hashable, Sendable {
        /// The module of this id: its code was running, or the dynamic linker was loading it.
        case module(String)
        /// The host's own code was running.
        case host
        /// The process was ended without a report.
        case unknown
    }

    /// The innermost function that belongs to a module.
    package var frame: CrashFrame? { frames.first { $0.module != nil } }

    /// Whether it was a module's fault. A process that could not report anything ran that module for its
    /// check.
    func isFault(of module: String) -> Bool {
        switch blame {
        case .module(let blamed): blamed == module
        case .host: false
        case .unknown: true
        }
    }

    /// The signals that code raises by its own mistakes.
    private static let crashes: Set = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// A sentence without its subject, the module: `crashed with SIGSEGV in f() + 12`.
    ///
    /// - Parameter module: The id of the module that is verified.
    package func message(of module: String) -> String {
        let what =
            switch cause {
            case .signal(let number) where Self.crashes.contains(number):
                "crashed with \(SignalName.of(number))"
            case .signal(SIGSYS): "tried to signal the verifying process, and was ended by SIGSYS"
            case .signal(SIGXFSZ): "wrote too large a file, and was ended by SIGXFSZ"
            case .signal(let number): "was ended by \(SignalName.of(number))"
            case .exit(let code): "ended the process with exit code \(code)"
            case .overdue(let limit): "did not finish within \(limit.seconds)"
            case .forgery: "wrote into the channel on which its checks are reported"
            case .excess(.processes): "started too many processes"
            case .excess(.memory): "used too much memory"
            case .supervisorLost: "ended the process that supervises it"
            }
        guard let frame else { return what }
        let owner = frame.module == module ? "" : " of the module '\(frame.module ?? "")'"
        return "\(what) in \(frame.place)\(owner)"
    }

    var fix: String {
        switch cause {
        case .signal(SIGSYS): "signal only processes that the module has started"
        case .signal: "mend what is named, or throw an error instead"
        case .exit: "return or throw instead: a module must not end the host"
        case .forgery: "write only to descriptors that the module has opened"
        case .excess(.processes): "start no processes, or wait until they have ended"
        case .excess(.memory): "allocate less, and release what is not needed"
        case .supervisorLost: "signal only processes that the module has started"
        case .overdue: "finish sooner, or allow more time with '--timeout SECONDS'"
        }
    }
}

extension Duration {
    fileprivate var seconds: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
