// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesRules

/// The conclusion of one check, with the messages about the module.
package enum CheckConclusion: Hashable, Sendable {
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

// A part of the line in which the probe reports it.
extension CheckConclusion {
    /// - Returns: `nil` if the object has no members that ``members`` makes.
    init?(_ node: JSONNode) {
        let diagnostics = (node["diagnostics"]?.elements ?? []).compactMap { node -> Diagnostic? in
            guard let message = node["message"]?.string,
                let code = node["code"]?.integer.flatMap(Int32.init(exactly:))
                    .flatMap(FailureCode.init(rawValue:))
            else { return nil }
            return Diagnostic(message, fix: node["fix"]?.string, code: code)
        }
        switch node["result"]?.string {
        case "passed": self = .passed
        case "warned": self = .warned(diagnostics)
        case "failed": self = .failed(diagnostics)
        case "skipped": self = .skipped(node["reason"]?.string ?? "")
        default: return nil
        }
    }

    var members: [JSON.Member] {
        switch self {
        case .passed: [JSON.Member(name: "result", value: "passed")]
        case .warned(let diagnostics): Self.members("warned", diagnostics)
        case .failed(let diagnostics): Self.members("failed", diagnostics)
        case .skipped(let reason):
            [
                JSON.Member(name: "result", value: "skipped"),
                JSON.Member(name: "reason", value: .string(reason)),
            ]
        }
    }

    private static func members(_ result: String, _ diagnostics: [Diagnostic]) -> [JSON.Member] {
        let list = diagnostics.map { diagnostic -> JSON in
            [
                "message": .string(diagnostic.message),
                "fix": diagnostic.fix.map { .string($0) } ?? .null,
                "code": .integer(Int(diagnostic.code.rawValue)),
            ]
        }
        return [
            JSON.Member(name: "result", value: .string(result)),
            JSON.Member(name: "diagnostics", value: .array(list)),
        ]
    }
}
