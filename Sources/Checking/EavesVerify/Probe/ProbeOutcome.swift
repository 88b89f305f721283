// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesChild
package import EavesIsolation
import EavesProcess
import Glibc

/// Everything that the verifying process knows of a probe that ended.
struct ProbeOutcome: Sendable {
    /// The checks that have begun.
    var checks: [ProbedCheck] = []
    /// The view from outside while the module was loaded and registered.
    var observation = Observation()
    var crash: CrashReport
    var end = ChildOutcome()
    /// Whether it was ended because a check took too long.
    var isOverdue = false
    /// Whether a report came that was not due, or not with the token: code of the module has written it.
    var isForged = false
    /// Whether it lived on after its last check until it had said so.
    var hasLeft = false
    /// The connections that its module was refused, as sentences without their subject.
    var refusals: [String] = []
    var output: [UInt8] = []

    /// - Parameter secret: The word behind the crash handler's last word; empty for none.
    init(secret: String = "") { crash = CrashReport(secret: secret) }

    /// Whether the process has exited with code 0, as it should.
    var hasExited: Bool {
        end.ending == .exited(0) && !isOverdue && !isForged && !end.isGuardianLost
            && end.excess == nil
    }

    /// The check that was running when it ended. If it did not live on after its last check, that one.
    var pending: ProbedCheck? {
        checks.last.flatMap { $0.conclusion == nil || !hasLeft || isForged ? $0 : nil }
    }

    func printed(from start: Int, to end: Int) -> [UInt8] {
        let start = min(start, output.count)
        return Array(output[start..<max(start, min(end, output.count))].prefix(Self.outputLimit))
    }

    /// The longest part of the output that is reported, in bytes.
    private static let outputLimit = 16 << 10

    /// The cause of its death, and the functions that were running.
    func death(limit: Duration, originals: [String: String]) -> ProbeDeath {
        let blame = crash.blamed.map { ProbeDeath.Blame.module($0) } ?? .host
        return ProbeDeath(
            cause: cause(limit: limit), frames: crash.frames(originals: originals),
            blame: crash.isWhole && !isForged ? blame : .unknown)
    }

    private func cause(limit: Duration) -> ProbeDeath.Cause {
        if isForged { return .forgery }
        if end.isGuardianLost { return .guardianLost }
        if let excess = end.excess { return .excess(excess) }
        if isOverdue { return .overdue(limit) }
        switch end.ending {
        case .exited(let code): return .exit(code)
        case .signalled(let number): return .signal(number)
        case .unknown: return .guardianLost
        }
    }
}

/// A check as the probe has reported it, with the number of bytes that were printed before it and until its end.
struct ProbedCheck: Hashable, Sendable {
    let id: String
    let start: Int
    /// `nil` as long as it runs.
    var conclusion: CheckConclusion?
    var end = 0
}

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
        case excess(GuardedProgram.Excess)
        /// The guardian of the process was gone before it.
        case guardianLost
    }

    package let cause: Cause
    /// The functions that were running, innermost first; empty if that is unknown.
    package let frames: [CrashFrame]
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

    /// Whether it was a module's fault. A process that could not report anything ran that module for its check.
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
            case .guardianLost: "ended the process that supervises it"
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
        case .guardianLost: "signal only processes that the module has started"
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
