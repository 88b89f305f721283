// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A check that runs the module's code, in a process of its own.
protocol DynamicCheck: Check {
    /// Which process.
    static var stage: TrialStage { get }
    /// Whether a host does the same, so that a crash in it is one that a host would suffer.
    static var isWhatHostsDo: Bool { get }
    /// Whether it measures time, of which a busy machine takes its part: what was slow is measured
    /// again in a new process, and counts if it stays slow.
    static var isMeasurement: Bool { get }
}

extension DynamicCheck {
    static var stage: TrialStage { .registered }
    static var isWhatHostsDo: Bool { true }
    static var isMeasurement: Bool { false }
}

/// A dynamic check that is one call in the probe.
protocol DirectCheck: DynamicCheck {
    /// What it throws is a failure.
    static func run(_ trial: Trial) throws -> Finding
}
