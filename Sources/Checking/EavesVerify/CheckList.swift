// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesRules

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

/// One promise that a module has to keep: a rule about its binary, or a check that runs its code.
package protocol Check: Sendable {
    /// Scripts name this id, so it never changes.
    var id: String { get }
    /// The claim that holds for a module which passes, in one line.
    var meaning: String { get }
    /// The ids of the checks without which this one has no meaning. It is skipped if one of them does
    /// not pass.
    var presupposes: [String] { get }
    /// The source of the verdict that the check has passed.
    var witness: CheckWitness { get }
}

/// The source of a check's verdict. A crash, an end of the process and a check that takes too long are seen from outside
/// in any case.
package enum CheckWitness: String, Sendable {
    /// The file, which is read without running its code.
    case file
    /// The verifying process, which runs no code of the module.
    case outside
    /// The process in which the module's code runs: a malicious module could lie there.
    case module
}

extension BinaryRule: Check {
    package var witness: CheckWitness { .file }
}

/// All checks, in the order in which they run: each stands below the checks that it presupposes.
package enum CheckList {
    package static let all: [any Check] = BinaryRules.all + DynamicChecks.all

    /// The checks of these ids, and those that they presuppose.
    static func needed(for ids: Set<String>?) -> Set<String> {
        guard var needed = ids else { return Set(all.map(\.id)) }
        // From the end, because the checks that a check presupposes stand above it.
        for check in all.reversed() where needed.contains(check.id) {
            needed.formUnion(check.presupposes)
        }
        return needed
    }
}
