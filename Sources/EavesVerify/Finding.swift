// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// How a check ended, in the module's own words.
package enum Finding: Hashable, Sendable {
    case passed
    /// It stands, but whoever is responsible should know.
    case warned([Diagnostic])
    case failed([Diagnostic])
    /// It says nothing about this module, for this reason.
    case skipped(String)

    /// Of one check over several things: what is worst counts, and of that all is said.
    init(of findings: [Finding]) {
        var failures: [Diagnostic] = []
        var warnings: [Diagnostic] = []
        var reasons: [String] = []
        for finding in findings {
            switch finding {
            case .passed: break
            case .warned(let diagnostics): warnings += diagnostics
            case .failed(let diagnostics): failures += diagnostics
            case .skipped(let reason): reasons.append(reason)
            }
        }
        if !failures.isEmpty {
            self = .failed(failures + warnings)
        } else if !warnings.isEmpty {
            self = .warned(warnings)
        } else {
            self = reasons.isEmpty ? .passed : .skipped(reasons.joined(separator: "; "))
        }
    }
}
