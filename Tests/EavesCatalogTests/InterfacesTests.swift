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

    private func need(
        _ id: String, _ module: String, _ major: Int, _ minor: Int
    ) -> InterfaceNeed {
        InterfaceNeed(id, built: stamp(module, major, minor))
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
        _ id: String, _ service: String, naming interfaces: InterfaceNeed...
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
        try addInterface("weather-api", "WeatherAPI", on: [need("places", "Places", 1, 0)])
        try addUser(
            "rain", "WeatherAPI.WeatherAPIService",
            naming: need("weather-api", "WeatherAPI", 1, 0))
        let catalog = try folder.catalog()
        let rain = try #require(catalog.entry("rain"))
        #expect(catalog.interfaces(of: [rain]).map(\.id) == ["places", "weather-api"])
        #expect(rain.state == .ready)
        #expect(try provider("WeatherAPIService", catalog) == "rain")
    }

    @Test("are found again through the cache, with few modules looked at")
    func narrow() throws {
        try order()
        _ = try folder.catalogLater().entries
        let catalog = try folder.catalogLater()
        let rain = try #require(
            try catalog.provider(of: .service("WeatherAPIService", name: nil)))
        #expect(rain.declaration?.interfaces == [need("weather-api", "WeatherAPI", 1, 0)])
        #expect(rain.declaration?.provides == [Provision(service: "WeatherAPI.WeatherAPIService")])
        #expect(catalog.interfaces(of: [rain]).map(\.id) == ["places", "weather-api"])
        #expect(
            catalog.entry("weather-api")?.declaration?.interface
                == InterfaceContent(module: "WeatherAPI", protocols: ["WeatherAPIService"]))
    }

    @Test("are found by every Swift module that a package brings, also through the cache")
    func otherModules() throws {
        let brought = InterfaceStamp(
            module: "Shared", version: InterfaceVersion(major: 1, minor: 0),
            otherModules: ["Formats", "Units"])
        try folder.add(
            ModuleDeclaration(
                id: "formats", version: "1.0.0", layer: .interface,
                interface: InterfaceContent(
                    module: "Shared", protocols: ["Thermometer"],
                    otherModules: ["Formats", "Units"])))
        try addUser("attic", "Shared.Thermometer", naming: InterfaceNeed("formats", built: brought))
        _ = try folder.catalog().entries
        _ = try folder.catalogLater().entries
        let catalog = try folder.catalogLater()
        for module in brought.modules { #expect(catalog.interface(ofSwift: module) == "formats") }
        #expect(catalog.interface(ofSwift: "Shared Formats") == nil)
        #expect(catalog.entry("formats")?.declaration?.interfaceStamp == brought)
        #expect(catalog.entry("attic")?.declaration?.interfaces.map(\.built) == [brought])
    }

    @Test("tell services of the same name apart")
    func qualified() throws {
        try addInterface("one", "One")
        try addInterface("two", "Two")
        try addUser("first", "One.Clock", naming: need("one", "One", 1, 0))
        try addUser("second", "Two.Clock", naming: need("two", "Two", 1, 0))
        let catalog = try folder.catalog()
        #expect(try provider("One.Clock", catalog) == "first")
        #expect(try provider("Two.Clock", catalog) == "second")
        #expect(throws: ProviderError.self) { try provider("Clock", catalog) }
    }

    /// A module that was built against version 1.2 of an interface.
    private func addRain() throws {
        try addUser(
            "rain", "WeatherAPI.WeatherAPIService",
            naming: need("weather-api", "WeatherAPI", 1, 2))
    }

    private static let plain = #"{ "manifest": 1 }"#
    private static let off =
        #"{ "manifest": 1, "modules": { "weather-api": { "enabled": false } } }"#

    /// The problem that keeps `rain` from being chosen. The choice, the entries and the list agree on it.
    private func problem(_ manifest: String = plain) throws -> InterfaceProblem? {
        let catalog = try folder.catalog(manifest)
        let entry = try #require(catalog.entry("rain"))
        let chosen = catalog.modules(providing: "WeatherAPIService", name: nil)
        #expect(chosen == [entry])
        #expect(catalog.entries.first { $0.id == "rain" } == entry)
        guard case .interfaces(let problems) = entry.problem else {
            #expect(entry.state == .ready)
            return nil
        }
        #expect(problems.count == 1)
        #expect(!entry.isAvailable)
        return problems.first
    }

    @Test("that are missing, switched off or of another version keep a module from being chosen")
    func problems() throws {
        try addRain()
        #expect(try problem() == .missing("weather-api", known: []))
        try addInterface("weather-ap", "Other")
        #expect(try problem() == .missing("weather-api", known: ["weather-ap"]))
        // The first question, which finds that out, is answered with all modules, too.
        let first = try folder.catalog().modules(providing: "WeatherAPIService", name: nil).first
        #expect(try first == folder.catalog().entry("rain"))
        for (major, minor) in [(1, 1), (2, 2)] {
            let found = InterfaceVersion(major: major, minor: minor)
            try addInterface("weather-api", "WeatherAPI", version: found.description)
            #expect(
                try problem()
                    == .otherVersion(
                        "weather-api", built: InterfaceVersion(major: 1, minor: 2), found: found,
                        path: "Plugins/weather-api.so"))
        }
        try addInterface("weather-api", "ClimateAPI", version: "1.2")
        #expect(
            try problem()
                == .otherModule(
                    "weather-api", built: "WeatherAPI", found: "ClimateAPI",
                    path: "Plugins/weather-api.so"))
        try addInterface("weather-api", "WeatherAPI", version: "1.3.1")
        #expect(try problem() == nil)
        guard case .unusable(let entry)? = try problem(Self.off) else {
            Issue.record("a module was chosen whose interface is switched off")
            return
        }
        #expect(entry.id == "weather-api")
        #expect(
            InterfaceProblem.unusable(entry).diagnostics(of: entry).first?.fix
                == "run 'eaves enable weather-api'")
        try addUser("weather-api", "Weather")
        guard case .noInterface? = try problem() else {
            Issue.record("a module was taken for an interface")
            return
        }
    }

    @Test("that an interface is built on count for those that name it")
    func throughOthers() throws {
        try addRain()
        try addInterface(
            "weather-api", "WeatherAPI", version: "1.2",
            on: [need("places", "Places", 1, 0)])
        guard case .unusable(let interface)? = try problem() else {
            Issue.record("the interface is unusable itself")
            return
        }
        #expect(interface.problem == .interfaces([.missing("places", known: ["weather-api"])]))
        let rain = try #require(try folder.catalog().entry("rain"))
        #expect(
            rain.diagnostics.map(\.message) == [
                "rain: it is compiled against the interface 'weather-api', which cannot be used "
                    + "(Plugins/rain.so)",
                "weather-api: it is compiled against the interface 'places', and there is none "
                    + "(Plugins/weather-api.so)",
            ])
        try addInterface(
            "places", "Places", on: [need("weather-api", "WeatherAPI", 1, 0)]
        )
        #expect(try problem() == nil)
    }

    @Test("that the program has linked in are there")
    func linked() throws {
        try addRain()
        var profile = HostProfile.sample
        for (minor, state) in [(1, ModuleState.incompatible), (2, .ready), (3, .ready)] {
            profile.interfaces = [
                ProgramInterface(
                    id: "weather-api", module: "WeatherAPI",
                    version: InterfaceVersion(major: 1, minor: minor))
            ]
            let catalog = try folder.catalog(profile: profile)
            #expect(catalog.entry("rain")?.state == state)
        }
    }

    @Test("are the same with a table and without one")
    func listed() throws {
        for number in 0..<5 {
            try addUser(
                "user-\(number)", "S\(number)",
                naming: need("weather-api", "WeatherAPI", 1, 0))
        }
        try addRain()
        func expect(_ readyCount: Int, _ manifest: String = Self.plain) throws {
            try folder.write(manifest, to: "manifest.json")
            _ = try folder.catalogLater()
            let catalog = try folder.catalogLater()
            try expectSame(catalog, folder.catalogWithoutTable())
            #expect(catalog.entries.count { $0.state == .ready } == readyCount)
        }
        // The message about an interface that is nowhere names those that are somewhere.
        try expect(0)
        try addInterface("weather-api", "WeatherAPI", version: "1.2")
        try expect(7)
        try expect(0, Self.off)
        try addInterface("weather-api", "WeatherAPI", version: "1.0")
        try expect(6)
        try addInterface("weather-api", "WeatherAPI", version: "2.0")
        try expect(1)
    }

    @Test("are found by a narrow look, and a missing one is looked for among all modules")
    func narrowProblems() throws {
        try addRain()
        try addUser("sun", "Sun", naming: need("places", "Places", 1, 0))
        try addInterface("weather-api", "WeatherAPI", version: "1.1")
        try folder.write(Self.plain, to: "manifest.json")
        let whole = try folder.catalogLater()
        let narrow = try #require(NarrowModules(try folder.load()))
        let rain = narrow.modules(providing: "WeatherAPIService")
        #expect(rain == [try #require(whole.entry("rain"))])
        #expect(rain.map(\.state) == [.incompatible])
        #expect(!narrow.lacksInterface)
        #expect(narrow.modules(providing: "Sun").map(\.state) == [.incompatible])
        #expect(narrow.lacksInterface)
        #expect(
            try folder.catalogLater().modules(providing: "Sun")
                == [try #require(whole.entry("sun"))])
    }

    @Test("decide which of several files with one id is used")
    func duplicates() throws {
        try addInterface("weather-api", "WeatherAPI", version: "1.1")
        func add(_ name: String, _ minor: Int, _ id: String = "weather-api") throws {
            try folder.add(
                ModuleDeclaration(
                    id: "rain", version: "1", layer: .core,
                    provides: [Provision(service: "WeatherAPI.WeatherAPIService")],
                    interfaces: [need(id, "WeatherAPI", 1, minor)]),
                as: name)
        }
        func expectUsed(_ path: String, _ states: [ModuleState]) throws {
            try folder.write(Self.plain, to: "manifest.json")
            let catalogs = [try folder.catalogWithoutTable(), try folder.catalogLater()]
            for catalog in catalogs + [try folder.catalog()] {
                let chosen = try catalog.provider(of: .service("WeatherAPIService", name: nil))
                #expect(chosen?.path == path)
                #expect(catalog.entries.filter { $0.id == "rain" }.map(\.state) == states)
            }
        }
        try add("Plugins/a.so", 2)
        try add("Plugins/b.so", 1, "climate-api")
        try add("Plugins/c.so", 1)
        try expectUsed("Plugins/c.so", [.incompatible, .incompatible, .ready])
        try addInterface("weather-api", "WeatherAPI", version: "1.2")
        // The others are not looked at any more.
        try expectUsed("Plugins/a.so", [.ready, .invalid, .invalid])
        try folder.write(Self.off, to: "manifest.json")
        let catalog = try folder.catalogLater()
        let none = catalog.modules(providing: "WeatherAPIService", name: nil)
        #expect(none.map(\.state) == [.incompatible, .incompatible, .incompatible])
    }

    @Test("that are not built yet leave a module available, as a build makes both ready")
    func notBuilt() throws {
        try addRain()
        try folder.addSource(
            ModuleDeclaration(id: "weather-api", version: "1.2", layer: .interface),
            in: "Plugins/WeatherAPI")
        var catalog = try folder.catalog()
        let rain = try #require(catalog.entry("rain"))
        #expect(rain.state == .incompatible)
        #expect(rain.isAvailable)
        #expect(
            rain.diagnostics == [
                Diagnostic(
                    "rain: it is compiled against the interface 'weather-api', which is not built yet "
                        + "(Plugins/rain.so)",
                    fix: "run 'eaves build weather-api'", code: .notFound)
            ])
        #expect(try provider("WeatherAPIService", catalog) == "rain")
        #expect(catalog.interfaces(of: [rain]).map(\.id) == ["weather-api"])
        // Without its own file, it has no problem that building it does not mend.
        try folder.addSource(
            ModuleDeclaration(
                id: "snow", version: "1", layer: .core, interfaces: [InterfaceNeed("weather-api")]),
            in: "Plugins/Snow")
        try folder.addSource(
            ModuleDeclaration(
                id: "hail", version: "1", layer: .core, interfaces: [InterfaceNeed("nowhere")]),
            in: "Plugins/Hail")
        catalog = try folder.catalog()
        #expect(catalog.entry("snow")?.state == .missing)
        #expect(catalog.entry("hail")?.isAvailable == false)
        #expect(
            catalog.entry("hail")?.problem
                == .interfaces([.missing("nowhere", known: ["weather-api"])]))
    }

    @Test("have one message for all modules that lack them, and one for each in full")
    func merged() throws {
        for id in ["rain", "snow", "sun"] {
            try addUser(id, id, naming: need("weather-api", "WeatherAPI", 1, 2))
        }
        try addUser("hail", "Hail", naming: need("places", "Places", 1, 0))
        try addInterface("weather-api", "WeatherAPI", version: "1.1")
        let entries = try folder.catalog().entries
        #expect(entries.diagnostics.count == 4)
        #expect(
            entries.mergedDiagnostics == [
                Diagnostic(
                    "hail: it is compiled against the interface 'places', and there is none "
                        + "(Plugins/hail.so)",
                    fix:
                        "put 'places.so' into a directory of modules, or use a program that has it "
                        + "linked in", code: .noProvider),
                Diagnostic(
                    "rain, snow, sun: they were built against version 1.2 of the interface "
                        + "'weather-api', and Plugins/weather-api.so has 1.1",
                    fix:
                        "update 'weather-api' to 1.2 or a later 1.x, or build 'rain', 'snow', 'sun' "
                        + "again against 1.1", code: .incompatible),
            ])
    }
}
