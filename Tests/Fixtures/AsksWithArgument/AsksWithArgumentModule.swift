// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Asks for a service with a runtime argument, which its provider does not take.
enum AsksWithArgumentModule: Module {
    struct Asker: Feature {
        let resolver: any Resolver

        func launch(_ launch: Launch) async throws -> ExitCode {
            let users = try resolver.resolve((any UserService).self, arguments: "Alice")
            try launch.console.print("got \(try await users.users().count) users")
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("ask-with-argument") { Asker(resolver: $0) }
    }
}
