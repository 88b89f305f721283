// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
    let stage: Stage
    /// Whether a host does the same, so that a host would suffer the same crash.
    let isWhatHostsDo: Bool
    /// Whether it measures time, which a busy machine makes longer. A slow module is measured again in
    /// new processes, and gets the warning only if it is slow in each.
    let isMeasurement: Bool
    /// Whether it has a meaning for an interface module, which has no entry point.
    let isForInterfaces: Bool
    let action: Action
    /// The verifying process's judgement of what it saw from outside while the module was loaded and registered.
    /// It counts if the action passes.
    let judgement: Observation.Judgement?
    package let witness: CheckWitness

    init(
        _ id: String, _ meaning: String, presupposes: [String], stage: Stage = .registered,
        isWhatHostsDo: Bool = true, isMeasurement: Bool = false,
        isForInterfaces: Bool = false, _ action: Action,
        judgement: Observation.Judgement? = nil, witness: CheckWitness = .module
    ) {
        self.id = id
        self.meaning = meaning
        self.presupposes = presupposes
        self.stage = stage
        self.isWhatHostsDo = isWhatHostsDo
        self.isMeasurement = isMeasurement
        self.isForInterfaces = isForInterfaces
        self.action = action
        self.judgement = judgement
        self.witness = witness
    }
}
