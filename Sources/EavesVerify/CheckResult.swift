// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem

/// How one check of one module ended.
package struct CheckResult: Sendable {
    /// As scripts know them.
    package enum Outcome: String, Sendable {
        case passed, failed, warned, skipped
    }

    package let id: String
    package let meaning: String
    package var outcome: Outcome
    /// What is wrong; empty if it passed, or was skipped.
    package var diagnostics: [Diagnostic] = []
    /// Why it was skipped.
    package var reason: String?
    /// What ended the process, if that is what went wrong.
    package var death: ProbeDeath?
    /// What the module printed meanwhile, if the check did not pass.
    package var output: [UInt8] = []

    init(_ check: any Check.Type, _ finding: Finding) {
        id = check.id
        meaning = check.meaning
        switch finding {
        case .passed: outcome = .passed
        case .warned(let diagnostics): (outcome, self.diagnostics) = (.warned, diagnostics)
        case .failed(let diagnostics): (outcome, self.diagnostics) = (.failed, diagnostics)
        case .skipped(let reason): (outcome, self.reason) = (.skipped, reason)
        }
    }

    /// Of one check over several things, each with a process of its own.
    init(_ check: any Check.Type, joining results: [CheckResult]) {
        self.init(check, Finding(of: results.map(\.finding)))
        death = results.lazy.compactMap(\.death).first
        for result in results where output.isEmpty { output = result.output }
    }

    private var finding: Finding {
        switch outcome {
        case .passed: .passed
        case .warned: .warned(diagnostics)
        case .failed: .failed(diagnostics)
        case .skipped: .skipped(reason ?? "")
        }
    }
}
