// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One report of the probe. The probe waits for the answer to each before it goes on, except to ``leaving``.
enum ProbeReport: Hashable, Codable, Sendable {
    /// A check is about to begin.
    case started(String)
    /// Within a check: the module's code is about to be run for the first time, or has been.
    case reached(ProbeMoment)
    case finished(String, CheckConclusion)
    /// All checks have ended, and the probe is about to exit.
    case leaving
}

/// A report as it goes over the channel.
struct ProbeMessage: Hashable, Codable, Sendable {
    let report: ProbeReport
    /// The latest word that the verifying process has sent.
    let token: String
}

/// The moments at which the verifying process looks at the probe from outside.
enum ProbeMoment: String, Hashable, Codable, Sendable, CaseIterable {
    /// No code of the module has run.
    case unloaded
    /// Its constructors have returned.
    case loaded
    /// Its entry point has returned.
    case registered
}

/// The order in which a probe has to report: it accepts a report only when that one is due, and only with the
/// latest token, which the module's code was not told. A pure value, which the verifying process asks.
struct ProbeDialogue {
    /// The word that the next report has to bring.
    private(set) var token = Self.newToken()
    /// The word that the crash handler's reports end with.
    let secret = Self.newToken()
    /// Whether the probe has lived on after its last check.
    private(set) var hasLeft = false
    /// The checks that have not begun, in order.
    private var due: ArraySlice<String>
    private var running: String?
    private var moments = ProbeMoment.allCases[...]

    init(checks: [String]) { due = checks[...] }

    var hasChecks: Bool { !due.isEmpty }

    /// Takes a report, and makes the next token.
    ///
    /// - Returns: Whether the report was due.
    mutating func accept(_ report: ProbeReport, _ token: String) -> Bool {
        guard token == self.token, !hasLeft else { return false }
        switch report {
        case .started(let check):
            // The probe leaves out checks whose presupposed ones failed.
            guard running == nil, let place = due.firstIndex(of: check) else { return false }
            due = due[(place + 1)...]
            running = check
        case .reached(let moment):
            guard running != nil, moments.first == moment else { return false }
            moments.removeFirst()
        case .finished(let check, _):
            guard running == check else { return false }
            running = nil
        case .leaving:
            guard running == nil else { return false }
            hasLeft = true
        }
        self.token = Self.newToken()
        return true
    }

    private static func newToken() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
