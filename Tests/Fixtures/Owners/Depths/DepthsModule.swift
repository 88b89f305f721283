// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CurrentInterface
import EavesInterface

enum DepthsModule: Module {
    struct Depths: Feature {
        let currents: any CurrentService

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("code of a module ran that breaks a rule")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("depths") { resolver in
            Depths(currents: try resolver.resolve((any CurrentService).self))
        }
    }
}
