// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Misbehaves instead of helping.
struct MisbehaveFeature: Feature {
    let misdeed: String?

    func launch(_ launch: Launch) async throws -> ExitCode {
        switch misdeed {
        case nil:
            try launch.console.print("usage: misbehave")
        case "silence":
            break
        case "work":
            try launch.console.print("working")
        case "failure":
            return .failure
        case let misdeed?:
            try Misdeed(misdeed).commit()
        }
        return .success
    }
}
