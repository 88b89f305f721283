// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A module like any other. What is wrong with it is how it is linked: with the interface's objects.
enum CarriesInterfaceModule: Module {
    struct Carrier: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode { .success }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("carry") { _ in Carrier() }
    }
}
