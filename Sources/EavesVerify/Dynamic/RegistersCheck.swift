// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Calls the entry point.
enum RegistersCheck: DirectCheck {
    static let id = "registers"
    static let meaning = "its entry point registers and says that it did"
    static let needs = [LoadsCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        return .passed
    }
}
