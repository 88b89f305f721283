// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CurrentInterface
import EavesInterface

enum BoatsModule: Module {
    struct Boats: Feature {
        let currents: any CurrentService

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("a current of \(currents.speed)")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("boats") { resolver in
            Boats(currents: try resolver.resolve((any CurrentService).self))
        }
    }
}
