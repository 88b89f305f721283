// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import GreetingAPI
import WeatherAPI

/// Registers the feature `hello`.
enum HelloModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("hello") { resolver in
            HelloFeature(
                greeter: try resolver.resolve((any Greeter).self),
                weather: try resolver.resolve((any WeatherService).self))
        }
    }
}

struct HelloFeature: Feature {
    let greeter: any Greeter
    let weather: any WeatherService

    func launch(_ launch: Launch) async throws -> ExitCode {
        if launch.arguments.contains("--help") {
            try launch.console.print("usage: hello NAME…")
            return .success
        }
        for name in launch.arguments {
            let today = try await weather.weather(in: "Berlin")
            try launch.console.print("\(greeter.greeting(for: Guest(name: name))). It is \(today).")
        }
        return .success
    }
}
