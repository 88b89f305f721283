// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Asks for a service that its declaration does not name.
enum UsesUndeclaredModule: Module {
    struct Counter: Feature {
        let users: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("\(try await users.users().count) users")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("silent-need") { resolver in
            Counter(users: try resolver.resolve((any UserService).self))
        }
    }
}
