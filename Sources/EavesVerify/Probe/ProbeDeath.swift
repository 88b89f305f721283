// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import Glibc

/// How a check ended that took its process along.
package struct ProbeDeath: Hashable, Sendable {
    /// What ended it.
    package enum Cause: Hashable, Sendable {
        case signal(Int32)
        /// Somebody called `exit`, with this code.
        case exit(Int32)
        /// It did not end by itself within this time.
        case overdue(Duration)
    }

    package let cause: Cause
    /// What was running, innermost first; empty if nobody could tell.
    package let frames: [ProbeFrame]

    /// The innermost function that is of a module.
    package var frame: ProbeFrame? { frames.first { $0.module != nil } }

    /// Whether it is the crash of a module: it, and not the host or another module, was running.
    func isCrash(of module: String) -> Bool {
        guard case .signal(let number) = cause, Self.crashes.contains(number) else { return false }
        guard let first = frames.first(where: { $0.isProgram || $0.module != nil }) else {
            return true
        }
        return first.module == module
    }

    /// The signals by which code dies of its own mistakes.
    private static let crashes: Set = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// What happened, in a sentence.
    ///
    /// - Parameter module: The id of the module that is verified.
    package func message(of module: String) -> String {
        let what =
            switch cause {
            case .signal(let number) where Self.crashes.contains(number):
                "crashed with \(SignalName.of(number))"
            case .signal(let number): "was ended by \(SignalName.of(number))"
            case .exit(let code): "ended the process with exit code \(code)"
            case .overdue(let limit): "did not come to an end within \(limit.seconds)"
            }
        guard let frame else { return what }
        let owner = frame.module == module ? "" : " of the module '\(frame.module ?? "")'"
        return "\(what) in \(frame.place)\(owner)"
    }

    var fix: String {
        switch cause {
        case .signal: "mend what is named, or throw an error instead"
        case .exit: "return or throw instead: the host is not a module's to end"
        case .overdue: "come to an end, or allow more with '--timeout SECONDS'"
        }
    }
}

extension Duration {
    fileprivate var seconds: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
