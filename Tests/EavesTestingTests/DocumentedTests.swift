// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import EavesTesting
import Foundation
import Testing

// Documentation/Testing.md shows the texts between "shown" and "end"; the last test compares them.

// shown
enum WeatherModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("weather") { _ in WeatherReport() }
    }
}

struct WeatherReport: Feature {
    @Injected var users: any UserService
    @Injected var events: (any EventHandler)?
    @Injected var logger: Logger

    func launch(_ launch: Launch) async throws -> ExitCode {
        let (unit, city) = try launch.parse(
            .option("--unit", "-u", default: "c", value: "UNIT", help: "c or f"),
            .argument("CITY", help: "the city to ask for"))
        logger.info("asked for \(city)")
        for user in try await users.users() {
            try launch.console.print("\(user.name), it is 20 °\(unit) in \(city).")
        }
        try await events?.handle(Event("weather.told"))
        return .success
    }
}
// end

// shown
struct Grace: UserService {
    func users() async throws -> [User] { [User(id: 1, name: "Grace")] }
}

@Suite(
    .container {
        try $0.load(WeatherModule.self, id: "weather")
        $0.replace((any UserService).self) { _ in Grace() }
    })
struct WeatherTests {
    @Test func tellsTheWeather() async throws {
        let launch = try await TestContainer.current.launch("weather", ["-u", "f", "Berlin"])
        #expect(launch == TestLaunch(output: "Grace, it is 20 °f in Berlin.\n"))
    }

    @Test func logs() async throws {
        let container = try TestContainer.current
        _ = try await container.launch("weather", ["Berlin"])
        #expect(container.log.map(\.description) == ["weather: info: asked for Berlin"])
    }

    @Test func refusesUnknownOptions() async throws {
        let container = try TestContainer.current
        await #expect(throws: UsageError.self) {
            try await container.launch("weather", ["--units", "f", "Berlin"])
        }
    }
}
// end

// shown
@Test func byHand() async throws {
    let report = WeatherReport(
        users: .given(Grace()), events: .given(nil), logger: .given(Logger { _, _ in }))
    let console = TestConsole()
    let code = try await report.launch(Launch(arguments: ["Berlin"], console: console))
    #expect(code == .success)
    #expect(console.lines == ["Grace, it is 20 °c in Berlin."])
}
// end

@Test("Testing.md shows the module and the tests of this file as they are")
func documented() throws {
    let page = try String(
        contentsOfFile: Repository.path("Documentation/Testing.md"), encoding: .utf8)
    let texts = try String(contentsOfFile: #filePath, encoding: .utf8).split(
        separator: "\n// shown\n"
    )
    .dropFirst().map { $0.prefix(upTo: $0.firstRange(of: "\n// end\n")!.lowerBound) }
    #expect(texts.count == 3)
    for text in texts { #expect(page.contains(text + "\n")) }
}
