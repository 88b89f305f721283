// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesCatalog

@Suite("The interfaces of modules")
struct InterfacesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func stamp(_ module: String, _ major: Int, _ minor: Int) -> InterfaceStamp {
        InterfaceStamp(module: module, version: InterfaceVersion(major: major, minor: minor))
    }

    private func addInterface(
        _ id: String, _ module: String, version: String = "1.0", on others: [InterfaceNeed] = []
    ) throws {
        try folder.add(
            ModuleDeclaration(
                id: id, version: version, layer: .interface, interfaces: others,
                interface: InterfaceContent(module: module, protocols: ["\(module)Service"])))
    }

    private func addUser(
        _ id: String, service: String, interfaces: [InterfaceNeed]
    ) throws {
        try folder.add(
            ModuleDeclaration(
                id: id, version: "1", layer: .core, provides: [Provision(service: service)],
                interfaces: interfaces))
    }

    private func provider(_ service: String, _ catalog: Catalog) throws -> String? {
        try catalog.provider(of: .service(service, name: nil))?.id
    }

    @Test("come before the modules that name them, those that others are built on first")
    func order() throws {
        try addInterface("places", "Places")
        try addInterface(
            "weather-api", "WeatherAPI", on: [InterfaceNeed("places", built: stamp("Places", 1, 0))]
        )
        try addUser(
            "rain", service: "WeatherAPI.WeatherAPIService",
            interfaces: [InterfaceNeed("weather-api", built: stamp("WeatherAPI", 1, 0))])
        let catalog = try folder.catalog()
        let rain = try #require(catalog.entry("rain"))
        #expect(catalog.interfaces(of: [rain]).map(\.id) == ["places", "weather-api"])
        #expect(catalog.interfaceProblems(of: rain).isEmpty)
        #expect(try provider("WeatherAPIService", catalog) == "rain")
    }

    @Test("are found again through the cache, with few modules looked at")
    func narrow() throws {
        try order()
        _ = try folder.catalogLater().entries
        let catalog = try folder.catalogLater()
        let rain = try #require(
            try catalog.provider(of: .service("WeatherAPIService", name: nil)))
        #expect(
            rain.declaration?.interfaces
                == [InterfaceNeed("weather-api", built: stamp("WeatherAPI", 1, 0))])
        #expect(rain.declaration?.provides == [Provision(service: "WeatherAPI.WeatherAPIService")])
        #expect(catalog.interfaces(of: [rain]).map(\.id) == ["places", "weather-api"])
        #expect(
            catalog.entry("weather-api")?.declaration?.interface
                == InterfaceContent(module: "WeatherAPI", protocols: ["WeatherAPIService"]))
    }

    @Test("tell services of the same name apart")
    func qualified() throws {
        try addInterface("one", "One")
        try addInterface("two", "Two")
        try addUser(
            "first", service: "One.Clock",
            interfaces: [InterfaceNeed("one", built: stamp("One", 1, 0))])
        try addUser(
            "second", service: "Two.Clock",
            interfaces: [InterfaceNeed("two", built: stamp("Two", 1, 0))])
        let catalog = try folder.catalog()
        #expect(try provider("One.Clock", catalog) == "first")
        #expect(try provider("Two.Clock", catalog) == "second")
        #expect(throws: ProviderError.self) { try provider("Clock", catalog) }
    }

    @Test("that are missing, switched off or of another version keep a module from being chosen")
    func problems() throws {
        try addUser(
            "rain", service: "WeatherAPI.WeatherAPIService",
            interfaces: [InterfaceNeed("weather-api", built: stamp("WeatherAPI", 1, 2))])
        func problem(_ manifest: String = #"{ "manifest": 1 }"#) throws -> InterfaceProblem? {
            let catalog = try folder.catalog(manifest)
            do throws(ProviderError) {
                _ =
                    try catalog
                    .provider(of: .service("WeatherAPIService", name: nil))
                return nil
            } catch {
                guard case .interface(let problem, let module, _) = error else { return nil }
                #expect(module.id == "rain")
                return problem
            }
        }
        #expect(try problem() == .missing("weather-api", known: []))
        try addInterface("weather-api", "WeatherAPI", version: "1.1")
        #expect(
            try problem()
                == .otherVersion(
                    "weather-api", built: InterfaceVersion(major: 1, minor: 2),
                    found: InterfaceVersion(major: 1, minor: 1), path: "Plugins/weather-api.so"))
        try addInterface("weather-api", "ClimateAPI", version: "1.2")
        #expect(
            try problem()
                == .otherModule(
                    "weather-api", built: "WeatherAPI", found: "ClimateAPI",
                    path: "Plugins/weather-api.so"))
        try addInterface("weather-api", "WeatherAPI", version: "1.3.1")
        #expect(try problem() == nil)
        let off = #"{ "manifest": 1, "modules": { "weather-api": { "enabled": false } } }"#
        guard case .unusable(let entry)? = try problem(off) else {
            Issue.record("a module was chosen whose interface is switched off")
            return
        }
        #expect(entry.id == "weather-api")
        #expect(
            InterfaceProblem.unusable(entry).diagnostics(of: entry).first?.fix
                == "run 'eaves enable weather-api'")
    }
}
