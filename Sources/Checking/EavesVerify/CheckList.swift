// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesLoader
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
            self = rule.isWarning ? .warned(diagnostics) : .failed(diagnostics)
        }
    }
}

/// One promise that a module has to keep: a rule about its binary, or a check that runs its code.
package protocol Check: Sendable {
    /// Scripts name this id, so it never changes.
    var id: String { get }
    /// The claim that holds for a module which passes, in one line.
    var meaning: String { get }
    /// The ids of the checks without which this one has no meaning. It is skipped if one of them does not pass.
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

/// The table of all checks that run the module's code, in the order in which they run.
///
/// A new check is a row here and a method of ``ProbedModule`` in one of the files next to this one.
enum DynamicChecks {
    static let all: [DynamicCheck] = [
        DynamicCheck(
            id: "loads", meaning: "its code can be loaded, and its constructors return",
            // No code of a module runs before everything is known that can be known without that.
            presupposes: BinaryRules.all.map(\.id), isForInterfaces: true,
            action: .call(ProbedModule.checkLoads)),
        DynamicCheck(
            id: "registers", meaning: "its entry point registers and reports success",
            presupposes: ["loads"], action: .call(ProbedModule.checkRegisters)),
        DynamicCheck(
            id: "declaration",
            meaning: "it registers what it declares, no more and no less, and nothing twice",
            presupposes: ["registers"], action: .call(ProbedModule.checkDeclaration)),
        DynamicCheck(
            id: "quick-registration",
            meaning: "loading and registering take no longer than a quarter of a second each",
            presupposes: ["registers"], isMeasurement: true,
            judgement: { $0.judgeTime() }, witness: .outside),
        DynamicCheck(
            id: "quiet-registration", meaning: "it prints nothing while it is loaded and registers",
            presupposes: ["registers"], judgement: { $0.judgeOutput() }, witness: .outside),
        DynamicCheck(
            id: "no-threads",
            meaning: "it starts no thread and no process while it is loaded and registers",
            presupposes: ["registers"], judgement: { $0.judgeThreads() }, witness: .outside),
        DynamicCheck(
            id: "no-descriptors",
            meaning:
                "it leaves no file open after it has registered, and closes none that it did not open",
            presupposes: ["registers"], judgement: { $0.judgeDescriptors() }, witness: .outside),
        DynamicCheck(
            id: "process-state",
            meaning:
                "it changes nothing that all code of the process shares: signal handlers and masks, "
                + "timers, limits, priority, locale, directory, umask, environment, arithmetic",
            presupposes: ["registers"],
            action: .call(ProbedModule.checkProcessState), judgement: { $0.judgeState() }),
        DynamicCheck(
            id: "services-created", meaning: "every service that it provides can be created",
            presupposes: ["declaration"], action: .call(ProbedModule.checkServicesCreated)),
        DynamicCheck(
            id: "services-dropped",
            meaning: "every service that was created can be released, and is gone then",
            presupposes: ["services-created"], action: .call(ProbedModule.checkServicesDropped)),
        DynamicCheck(
            id: "registers-twice", meaning: "it registers the same again in a second host",
            presupposes: ["declaration"], isWhatHostsDo: false,
            action: .call(ProbedModule.checkRegistersTwice)),
        DynamicCheck(
            id: "ends",
            meaning: "the host can exit: the module's destructors and exit handlers return",
            presupposes: ["registers"], action: .exit, witness: .outside),
        DynamicCheck(
            id: "refused-registration",
            meaning: "it survives a host that refuses everything it registers",
            presupposes: ["registers"], stage: .unsuitableHost, isWhatHostsDo: false,
            action: .call { module in { try module.registerOrRefuse(shown: .refusing) } }),
        DynamicCheck(
            id: "unknown-abi",
            meaning: "it survives a host of another ABI version: it registers, or refuses",
            presupposes: ["registers"], stage: .unsuitableHost, isWhatHostsDo: false,
            action: .call { module in { try module.registerOrRefuse(shown: .unknown) } }),
        DynamicCheck(
            id: "later-host",
            meaning: "it also registers in a later host, whose table of functions has grown",
            presupposes: ["declaration"], stage: .laterHost, isWhatHostsDo: false,
            action: .call(ProbedModule.checkLaterHost)),
        DynamicCheck(
            id: "features-help",
            meaning: "each feature prints something for '--help' and ends with 0 or 64",
            presupposes: ["declaration"], stage: .feature, action: .launch(ProbedModule.checkHelp)),
    ]
}

/// A check that runs the module's code, in a process of its own.
struct DynamicCheck: Check {
    /// The checks of one stage share a process.
    enum Stage: CaseIterable, Sendable {
        /// The module registers as in a host.
        case registered
        /// The module meets hosts that it cannot register in.
        case unsuitableHost
        /// The module meets a later host first.
        case laterHost
        /// One feature is launched, in a process for each feature.
        case feature
    }

    /// The check itself, a method of the module in the probe. An error that it throws is a failure.
    enum Action: Sendable {
        case call(@Sendable (ProbedModule) -> () throws -> CheckConclusion)
        /// Launches the feature of this name.
        case launch(@Sendable (ProbedModule) -> (String) async throws -> CheckConclusion)
        /// The process exits. The verifying process sees how that goes.
        case exit
    }

    let id: String
    let meaning: String
    let presupposes: [String]
    var stage = Stage.registered
    /// Whether a host does the same, so that a host would suffer the same crash.
    var isWhatHostsDo = true
    /// Whether it measures time, which a busy machine makes longer. A slow module is measured again in
    /// new processes, and gets the warning only if it is slow in each.
    var isMeasurement = false
    /// Whether it has a meaning for an interface module, which has no entry point.
    var isForInterfaces = false
    var action = Action.call(ProbedModule.checkNothing)
    /// The verifying process's judgement of what it saw from outside while the module was loaded and registered.
    /// It counts if the action passes.
    var judgement: Observation.Judgement?
    var witness = CheckWitness.module
}
