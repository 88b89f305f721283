// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Is of the lowest layer and asks for a service of a higher one, which its declaration hides.
enum UsesFeatureModule: Module {
    struct Climber: Feature {
        let login: any LoginFactory

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("code of a module ran that breaks a rule")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("upward") { resolver in
            Climber(login: try resolver.resolve((any LoginFactory).self))
        }
    }
}
