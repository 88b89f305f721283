// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Declares needs that no module meets, one of them a slip of the pen.
enum NeedsUnknownServiceModule: Module {
    struct Weather: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode { .success }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("weather") { _ in Weather() }
    }
}
