// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Calls functions of the interface that this host's interface does not have.
enum NeedsNewerInterfaceModule: Module {
    struct Caller: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print(launch.greeting(for: launch.shout()))
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("newer") { _ in Caller() }
    }
}
