// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesELF

/// One rule about a module's binary: an id, its meaning, and the check.
///
/// All rules stand in ``BinaryRules``. A check runs no code of the module and loads no library.
package struct BinaryRule: Sendable {
    /// Where a launch makes sure that the rule is kept.
    package enum LaunchStep: Hashable, Sendable {
        /// The catalog's scan finds the problem, so that the launch does not get as far as the file.
        case scan
        /// Checked on the private copy before anything else of it is read. The first problem counts.
        case demands
        /// Checked on the private copy before it is loaded. All problems are reported.
        case beforeLoading
        /// The dynamic linker looks up the same symbols before any code of the module runs. The rule
        /// costs more than that, so a launch asks it only to explain why the linker failed.
        case explainingTheLinker
        /// A module that breaks the rule can be launched.
        case none
    }

    /// The weight of a breach of the rule.
    package enum Severity: Hashable, Sendable {
        case failure, warning
    }

    /// Scripts name this id, so it never changes.
    package let id: String
    /// The claim that holds for a module which keeps the rule, in one line.
    package let meaning: String
    /// The ids of the rules without which this one has no meaning. They stand above it in the table.
    package let presupposes: [String]
    package let launch: LaunchStep
    package let severity: Severity
    private let check: Check

    /// A method of the module that is checked.
    typealias Check = @Sendable (InspectedModule) -> () throws(ELFError) -> RuleOutcome

    init(
        _ id: String, _ meaning: String, presupposes: [String] = [], launch: LaunchStep,
        severity: Severity = .failure, check: @escaping Check
    ) {
        self.id = id
        self.meaning = meaning
        self.presupposes = presupposes
        self.launch = launch
        self.severity = severity
        self.check = check
    }

    /// Checks a module. A binary that cannot be read is a problem of its own.
    package func outcome(for module: InspectedModule) -> RuleOutcome {
        do throws(ELFError) {
            return try check(module)()
        } catch {
            return .broken(.catalog(.binary(error)))
        }
    }

    /// The problem, if the module breaks the rule.
    func problem(of module: InspectedModule) -> BinaryProblem? {
        guard case .broken(let problem) = outcome(for: module) else { return nil }
        return problem
    }
}

/// The answer of a rule's check.
package enum RuleOutcome: Hashable, Sendable {
    case kept
    case broken(BinaryProblem)
    /// The rule says nothing about this module, for this reason.
    case skipped(String)

    /// Broken if there is a problem.
    init(_ problem: BinaryProblem?) {
        self = problem.map { .broken($0) } ?? .kept
    }
}
