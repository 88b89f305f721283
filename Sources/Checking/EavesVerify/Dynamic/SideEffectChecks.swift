// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Things that a module must not do while it is loaded and registers.
extension ProbedModule {
    /// Runs the module while the verifying process watches from outside, and judges by itself.
    func checkNothing() throws -> CheckConclusion {
        _ = try register()
        return .passed
    }

    /// Compares what only code of the process can see, and the rest in the same words.
    func checkProcessState() throws -> CheckConclusion {
        _ = try register()
        guard let before = stateBefore, let after = stateAfter else { return .passed }
        let changes = before.changes(to: after)
        guard !changes.isEmpty else { return .passed }
        return warning(Observation.message(of: changes), fix: Observation.adviceForState)
    }
}
