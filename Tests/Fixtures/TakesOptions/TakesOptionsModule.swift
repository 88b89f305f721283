// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// A feature with options, whose services are injected, and which all log.
enum TakesOptionsModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerAsync((any UserService).self, scope: .shared) { resolver in
            let logger = try resolver.resolve(Logger.self)
            logger.info("connecting")
            await Task.yield()
            return Readers(logger: logger)
        }
        registrar.register((any EventHandler).self) { _ in Notes() }
        registrar.registerAsync((any Feature).self, name: "weather") { resolver in
            _ = try await resolver.resolveAsync((any UserService).self)
            return WeatherReport()
        }
    }
}

struct WeatherReport: Feature {
    @Injected var logger: Logger
    @Injected var events: (any EventHandler)?
    @Injected var homes: (any HomeFactory)?
    @Injected var handler: Lazy<any EventHandler>

    func launch(_ launch: Launch) async throws -> ExitCode {
        let (unit, isBrief, cities) = try launch.parse(
            .option("--unit", "-u", default: "c", value: "UNIT", help: "c or f"),
            .flag("--brief", help: "leave out the unit"),
            .arguments("CITY", help: "the cities to tell about"))
        logger.debug("asked for \(cities.count) cities")
        if cities.isEmpty { logger.warning("no city\nfix: name one") }
        for city in cities {
            try launch.console.print("\(city): 20\(isBrief ? "" : " °\(unit)")")
            try await handler().handle(Event(city))
        }
        try launch.console.print("events: \(events != nil), homes: \(homes != nil)")
        return .success
    }
}

struct Readers: UserService {
    let logger: Logger

    func users() async throws -> [User] { [] }
}

struct Notes: EventHandler {
    @Injected var logger: Logger

    func handle(_ event: Event) async throws { logger.error("no room for '\(event.name)'") }
}
