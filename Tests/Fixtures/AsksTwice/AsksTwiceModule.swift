// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Asks for a service that is refused.
enum AsksTwiceModule: Module {
    /// Asks a second time after it was refused, and prints what it is told each time.
    struct Twice: Feature {
        let resolver: any Resolver

        func launch(_ launch: Launch) async throws -> ExitCode {
            for _ in 1...2 {
                do {
                    let users = try await resolver.resolve((any UserService).self).users()
                    try launch.console.print("got \(users.count) users")
                } catch let error as ResolutionError {
                    try launch.console.print("\(error)")
                }
            }
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("ask-twice") { Twice(resolver: $0) }
    }
}
