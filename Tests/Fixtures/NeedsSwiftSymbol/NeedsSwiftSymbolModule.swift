// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Elsewhere

/// Calls into a second Swift module, `Elsewhere`, that it is not linked to.
enum NeedsSwiftSymbolModule: Module {
    struct Caller: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print(greeting(for: "Alice", times: 2))
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("elsewhere") { _ in Caller() }
    }
}
