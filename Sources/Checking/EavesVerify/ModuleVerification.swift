// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesCatalog
public import EavesDiagnostics

/// The result of verifying a module.
public struct ModuleVerification: Sendable {
    /// The result of one check.
    public struct Check: Sendable {
        /// The outcome of a check. The words are those of `eaves verify --json`.
        public enum Outcome: String, Sendable {
            /// The module keeps the promise.
            case passed
            /// The module does not keep the promise.
            case failed
            /// The module passes, but its author should know this.
            case warned
            /// The check says nothing about this module.
            case skipped
        }

        /// The check's id, such as `registers`.
        public let id: String
        /// The subject of the check, in one line.
        public let meaning: String
        /// The outcome.
        public let outcome: Outcome
        /// The messages; empty if the check passed or was skipped.
        public internal(set) var problems: [Diagnostic] = []
        /// The reason why it was skipped.
        public private(set) var reason: String?
        /// How the process died, if the check took it along.
        package internal(set) var death: ProbeDeath?
        /// The bytes that the module printed during the check, if it did not pass.
        package internal(set) var output: [UInt8] = []
    }

    /// The module as the catalog knows it.
    public let module: CatalogEntry
    /// Whether its code had only the rights that its permissions list.
    public let isWalled: Bool
    /// The checks in the order of the list.
    public let checks: [Check]
    /// Whether no check failed.
    public var isPassed: Bool { !checks.contains { $0.outcome == .failed } }

    package var code: FailureCode? {
        checks.first { $0.outcome == .failed }?.problems.first?.code
    }

    package func count(of outcome: Check.Outcome) -> Int {
        checks.count { $0.outcome == outcome }
    }

    /// The check in which it crashed, ended the process or hung as it would in a host; `nil` if it did none of that.
    package var crash: Check? {
        let ids = Set(DynamicChecks.all.filter(\.isWhatHostsDo).map(\.id))
        return checks.first { check in
            guard ids.contains(check.id), let death = check.death else { return false }
            return death.isFault(of: module.id)
        }
    }
}

extension ModuleVerification.Check {
    init(_ check: any EavesVerify.Check, _ conclusion: CheckConclusion) {
        id = check.id
        meaning = check.meaning
        switch conclusion {
        case .passed: outcome = .passed
        case .warned(let problems): (outcome, self.problems) = (.warned, problems)
        case .failed(let problems): (outcome, self.problems) = (.failed, problems)
        case .skipped(let reason): (outcome, self.reason) = (.skipped, reason)
        }
    }

    /// Joins the results of one check over several things, each in a process of its own.
    init(_ check: any EavesVerify.Check, joining results: [Self]) {
        self.init(check, CheckConclusion(joining: results.map(\.conclusion)))
        death = results.firstNonNil(\.death)
        for result in results where output.isEmpty { output = result.output }
    }

    private var conclusion: CheckConclusion {
        switch outcome {
        case .passed: .passed
        case .warned: .warned(problems)
        case .failed: .failed(problems)
        case .skipped: .skipped(reason ?? "")
        }
    }
}

struct CheckResults {
    private var results: [String: ModuleVerification.Check] = [:]
    /// The ids of the checks that failed, or were skipped because such a one did not pass.
    private var unmet: Set<String> = []

    var inOrder: [ModuleVerification.Check] { CheckList.all.compactMap { results[$0.id] } }

    func contains(_ check: any Check) -> Bool { results[check.id] != nil }

    func outcome(of check: any Check) -> ModuleVerification.Check.Outcome? {
        results[check.id]?.outcome
    }

    mutating func add(_ result: ModuleVerification.Check) {
        results[result.id] = result
        if result.outcome == .failed { unmet.insert(result.id) }
    }

    /// Skips a check if one that it presupposes did not pass.
    ///
    /// - Returns: Whether it was skipped.
    mutating func skip(_ check: any Check) -> Bool {
        guard let id = check.presupposes.first(where: unmet.contains) else { return false }
        // The reason names the check that failed first, not one that was skipped because of it.
        let isConsequence = results[id]?.outcome == .skipped
        let reason = isConsequence ? results[id]?.reason : nil
        results[check.id] = ModuleVerification.Check(
            check, .skipped(reason ?? "'\(id)' did not pass"))
        unmet.insert(check.id)
        return true
    }
}
