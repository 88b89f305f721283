// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Counts threads.
enum NoThreadsCheck: DirectCheck {
    static let id = "no-threads"
    static let meaning = "it starts no thread while it is loaded and registers"
    static let needs = [RegistersCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        guard let traces = trial.traces, let after = traces.after else { return .passed }
        let started = after.threads.subtracting(traces.before.threads).count
        guard started > 0 else { return .passed }
        return trial.warning(
            "started \(started) \(started == 1 ? "thread" : "threads") while it was loaded or "
                + "registered", fix: "start threads in the factories, when somebody needs them")
    }
}
