// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Shows the users of two sources at once. Which modules these are stands in the manifest.
enum TwoSourcesModule: Module {
    struct Comparison: Feature {
        @Injected(name: "v1") private var first: any UserService
        @Injected(name: "v2") private var second: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode {
            for (name, service) in [("v1", first), ("v2", second)] {
                let names = try await service.users().map(\.name).joined(separator: ", ")
                try launch.console.print("\(name): \(names)")
            }
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("compare") { _ in Comparison() }
    }
}
