// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import WeatherAPI

/// Provides the weather.
enum WeatherModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any WeatherService).self, scope: .shared) { _ in DryYear() }
    }
}

struct DryYear: WeatherService {
    func weather(in place: String) async throws -> String { "sunny" }
}
