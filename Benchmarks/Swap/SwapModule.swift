// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// One of many generations, which differ in a number.
enum SwapModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("swap") { _ in Numbered() }
    }
}

struct Numbered: Feature, CustomStringConvertible {
    let description = "0000"

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print(description)
        return .success
    }
}
