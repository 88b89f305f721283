// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CurrentInterface
import EavesInterface
import TideInterface

/// Knows another feature's own interface, which its declaration may hide as well.
enum HarbourModule: Module {
    struct Harbour: Feature {
        let currents: any CurrentService
        let watcher: any TideWatcher

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("code of a module ran that breaks a rule")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("harbour") { resolver in
            Harbour(
                currents: try resolver.resolve((any CurrentService).self),
                watcher: try resolver.resolve((any TideWatcher).self))
        }
    }
}
