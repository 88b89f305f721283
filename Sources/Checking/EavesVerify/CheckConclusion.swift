// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesRules

/// The conclusion of one check, with the messages about the module.
package enum CheckConclusion: Hashable, Codable, Sendable {
    case passed
    /// The module passes, but its author should know this.
    case warned([Diagnostic])
    case failed([Diagnostic])
    /// The check says nothing about this module, for this reason.
    case skipped(String)

    /// Joins the conclusions of one check over several things: the worst one counts, and all messages
    /// of that kind are kept.
    init(joining conclusions: [CheckConclusion]) {
        var failures: [Diagnostic] = []
        var warnings: [Diagnostic] = []
        var reasons: [String] = []
        for conclusion in conclusions {
            switch conclusion {
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

    /// Checks a rule about the module's binary.
    init(of rule: BinaryRule, for module: InspectedModule) {
        switch rule.outcome(for: module) {
        case .kept: self = .passed
        case .skipped(let reason): self = .skipped(reason)
        case .broken(let problem):
            let diagnostics = BinaryError(module.entry, [problem]).diagnostics
            switch rule.severity {
            case .failure: self = .failed(diagnostics)
            case .warning: self = .warned(diagnostics)
            }
        }
    }
}
