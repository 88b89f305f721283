// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
@testable import EavesDeclaration
import EavesDiagnostics
import EavesTestSupport
import Testing

@Suite("a build with interfaces that a module owns", .onOwnThreads, .patiently)
struct OwnedInterfaceTests {
    private let fixture: InterfaceFixture
    private static let foreign = ForeignOwner(id: "sunny", layer: .feature)

    init() throws {
        fixture = try InterfaceFixture()
        try fixture.addInterface("WeatherAPI", id: "weather-api")
        try fixture.scratch.write(
            #"{ "id": "weather-api", "version": "1.0.0", "layer": "interface", "owner": "sunny" }"#,
            to: "Plugins/WeatherAPI/module.json")
    }

    @Test("is for the owner and for compositions; the note names the owner")
    func allowed() throws {
        let sunny = try fixture.addProvider()
        let root = try fixture.addModule("Root", id: "root", interfaces: ["weather-api"])
        let declared = try fixture.scratch.read("Plugins/Root/module.json")
        try fixture.scratch.write(
            declared.replacing(#""layer": "feature""#, with: #""layer": "composition""#),
            to: "Plugins/Root/module.json")
        let weather = fixture.request("WeatherAPI", "weather-api")
        #expect(
            fixture.build(weather, sunny, root)
                == ["weather-api: built", "sunny: built", "root: built"])
        #expect(try fixture.note(weather).declaration.owner == "sunny")
    }

    @Test("refuses another feature before it compiles anything, and says how to do it instead")
    func named() throws {
        try fixture.addProvider()
        let home = try fixture.addModule("Home", id: "home", interfaces: ["weather-api"])
        let error = try fixture.error(home)
        #expect(error.cause == .interfaces([.owned(id: "weather-api", Self.foreign)]))
        #expect(
            error.diagnostics == [
                Diagnostic(
                    "home: it names the interface 'weather-api', which belongs to the feature 'sunny': "
                        + "only 'sunny' and modules of the layer 'composition' may use it",
                    fix:
                        "share what both need through a common interface, which has no owner, or let a "
                        + "module of the layer 'composition' bridge the two; then take 'weather-api' "
                        + "out of \"interfaces\" in its module.json", code: .badData)
            ])
    }

    @Test("does not advise to name one: for a service of it, and for an import")
    func circles() throws {
        try fixture.addProvider()
        #expect(fixture.build(fixture.request("WeatherAPI", "weather-api")).count == 1)
        let home = try fixture.addModule("Home", id: "home", requires: ["WeatherService"])
        let service = try fixture.error(home)
        #expect(
            service.cause
                == .interfaces([
                    .ownedService("WeatherService", id: "weather-api", Self.foreign)
                ]))
        #expect(
            service.diagnostics.map(\.message) == [
                "home: the service 'WeatherService' is a protocol of the interface 'weather-api', which "
                    + "belongs to the feature 'sunny': only 'sunny' and modules of the layer "
                    + "'composition' may use it"
            ])
        let other = try fixture.addModule("Other", id: "other", source: "import WeatherAPI")
        let imported = try fixture.error(other)
        #expect(
            imported.cause
                == .dependency(
                    .noSuchModule(
                        name: "WeatherAPI", .ownedInterface(id: "weather-api", Self.foreign))))
        #expect(
            imported.diagnostics.map(\.message) == [
                "other: imports 'WeatherAPI' of the interface module 'weather-api', which belongs to the "
                    + "feature 'sunny': only 'sunny' and modules of the layer 'composition' may use it"
            ])
        for error in [service, imported] {
            #expect(error.diagnostics.first?.fix == ForeignOwner.fix)
        }
    }
}
