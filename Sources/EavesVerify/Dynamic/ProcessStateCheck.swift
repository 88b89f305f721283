// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Compares what all code of a process shares.
enum ProcessStateCheck: DirectCheck {
    static let id = "process-state"
    static let meaning = "it changes no signal handler, locale, directory, umask or environment"
    static let needs = [RegistersCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        guard let traces = trial.traces, let after = traces.after else { return .passed }
        let changes = traces.before.changes(to: after)
        guard !changes.isEmpty else { return .passed }
        return trial.warning(
            "changed \(changes.joined(separator: ", ")) while it was loaded or registered",
            fix: "leave to the host what the whole process shares")
    }
}
