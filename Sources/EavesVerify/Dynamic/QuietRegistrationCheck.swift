// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Looks whether anything was printed.
enum QuietRegistrationCheck: DirectCheck {
    static let id = "quiet-registration"
    static let meaning = "it prints nothing while it is loaded and registers"
    static let needs = [RegistersCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        guard let traces = trial.traces, traces.printed > 0 else { return .passed }
        return trial.warning(
            "printed \(traces.printed) bytes while it was loaded or registered",
            fix: "leave the output to the features, and log through the host")
    }
}
