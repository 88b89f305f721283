// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Features that do not answer for what goes wrong: one while it runs, one while it is made.
enum ThrowsAtLaunchModule: Module {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Thrower: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("so far so good")
            throw Failure(description: "the printer is on fire")
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("throw") { _ in Thrower() }
    }
}
