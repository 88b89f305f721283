// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesCode
@testable import EavesCompiler
import EavesDeclaration
import EavesELF
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesBuild

/// Builds interface modules, and modules against them, with the real compiler.
@Suite(.patiently) struct InterfaceModuleTests {
    private static let noted = InterfaceNeed(
        "weather-api",
        built: InterfaceStamp(
            module: "WeatherAPI", version: InterfaceVersion(major: 1, minor: 2)))

    @Test("an interface module is one file with code, note and its own textual interface")
    func wholeFile() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("WeatherAPI", id: "weather-api", version: "1.2.0")
        #expect(fixture.build(request) == ["weather-api: built"])

        let note = try fixture.note(request)
        #expect(note.declaration.layer == .interface)
        #expect(
            note.declaration.interface
                == InterfaceContent(
                    module: "WeatherAPI",
                    protocols: ["Report.Archive", "Report.Reader", "WeatherService"]))
        #expect(note.tag.interface == InterfaceVersion(major: 1, minor: 4))
        let file = try ELFFile(request.output)
        let section = try #require(
            try file.section(named: InterfaceSection.name, limit: 1 << 20))
        let text = String(decoding: section, as: UTF8.self)
        #expect(text.hasPrefix("// swift-interface-format-version"))
        #expect(text.contains("public protocol WeatherService"))
        #expect(try file.section(named: ".nothing", limit: 1 << 20) == nil)
        // Nothing loads the section.
        let report = try BinaryReport(of: request.output)
        #expect(!report.hasEntry)
        #expect(!report.definedNames(startingWith: "$s10WeatherAPI").isEmpty)
        #expect(fixture.build(request) == ["weather-api: up to date"])
    }

    @Test("the Swift module has the name in module.json, and the same symbols from build to build")
    func names() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("Weather", id: "weather-api", module: "WeatherAPI")
        #expect(fixture.build(request) == ["weather-api: built"])
        let before = try BinaryReport(of: request.output).definedNames(startingWith: "$s")
        try fixture.scratch.write("func hidden() {}\n", to: "Plugins/Weather/More.swift")
        #expect(fixture.build(request) == ["weather-api: built"])
        let after = try BinaryReport(of: request.output).definedNames(startingWith: "$s")
        #expect(try fixture.note(request).declaration.interface?.module == "WeatherAPI")
        #expect(before.contains("$s10WeatherAPI0A7ServiceMp"))
        #expect(Set(before).subtracting(after).isEmpty)
    }

    @Test("a module is compiled against an interface, carries no copy of it, and its note says so")
    func provider() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface(
            "WeatherAPI", id: "weather-api", version: "1.2.3")
        let provider = try fixture.addProvider()
        // The interface is built first, whoever comes first on the command line.
        #expect(
            fixture.build(provider, interface) == ["sunny: built", "weather-api: built"])
        let note = try fixture.note(provider)
        #expect(note.declaration.interfaces == [Self.noted])
        #expect(note.declaration.provides == [Provision(service: "WeatherAPI.WeatherService")])
        let report = try BinaryReport(of: provider.output)
        #expect(report.definedNames(startingWith: "$s10WeatherAPI").isEmpty)
        #expect(
            report.undefinedNames(startingWith: "$s10WeatherAPI")
                .contains("$s10WeatherAPI0A7ServiceMp"))
        #expect(fixture.build(provider, interface).allSatisfy { $0.hasSuffix("up to date") })
    }

    @Test("the file alone is enough to compile against")
    func fileAlone() throws {
        let fixture = try InterfaceFixture()
        let provider = try fixture.addProvider()
        try fixture.plugins.run("cp \(InterfaceFixture.made.get().file) Plugins/other-name.so")
        #expect(fixture.build(provider) == ["sunny: built"])
        #expect(try fixture.note(provider).declaration.interfaces == [Self.noted])
        let cache = fixture.scratch.file("Plugins/.eaves-records/interfaces")
        let folders = try Folder(cache).entries.map(\.name)
        #expect(folders.count == 1)
        #expect(try FileStatus(path: Path.join(cache, folders[0])).mode & 0o777 == 0o700)
        #expect(
            try Folder(Path.join(cache, folders[0])).entries.map(\.name)
                == ["WeatherAPI.swiftinterface"])
    }

    @Test("a file that was dropped in is used as it is, although there are sources for it")
    func droppedIn() throws {
        let made = try InterfaceFixture.made.get().file
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface("WeatherAPI", id: "weather-api", version: "1.1.0")
        try fixture.plugins.run("cp \(made) \(interface.output)")
        #expect(try fixture.build(fixture.addProvider()) == ["sunny: built"])
        #expect(try Files.read(interface.output) == Files.read(made))
    }

    @Test(
        "a function that may be inlined names its module, also beside a type of the module's name")
    func namedInBody() throws {
        let fixture = try InterfaceFixture()
        let source = """
            public let limit = 3
            public struct Outer { public struct Inner { public init() {} } }
            @inlinable public func twice() -> Int { WeatherAPI.limit * 2 }

            """
        try fixture.addInterface("WeatherAPI", id: "weather-api", source: source)
        try fixture.addInterface(
            "Clock", id: "clock", source: "public struct Clock { public struct Time {} }\n")
        let user = try fixture.addModule(
            "Rain", id: "rain", interfaces: ["weather-api", "clock"],
            source: """
                import Clock
                import WeatherAPI
                public func four(_ time: Clock.Time) -> Int { twice() - WeatherAPI.limit }

                """)
        #expect(fixture.build(user) == ["rain: built", "weather-api: built", "clock: built"])
    }

    @Test("interfaces build on interfaces, and their users find both")
    func chain() throws {
        let fixture = try InterfaceFixture()
        try fixture.addInterface(
            "Common", id: "common",
            source: "public struct City: Sendable { public init() {} }\n")
        try fixture.addInterface(
            "WeatherAPI", id: "weather-api", interfaces: ["common"],
            source: """
                import Common
                public protocol WeatherService { func report(for city: City) -> String }

                """)
        let user = try fixture.addModule(
            "Show", id: "show", interfaces: ["weather-api"], requires: ["WeatherService"],
            source: """
                import Common
                import WeatherAPI
                public func show(_ service: any WeatherService) -> String {
                    service.report(for: City())
                }

                """)
        let results = fixture.build(user)
        #expect(Set(results) == ["show: built", "weather-api: built", "common: built"])
        #expect(
            try fixture.note(fixture.request("WeatherAPI", "weather-api")).declaration
                .interfaces.first?.built?.module == "Common")
        #expect(try fixture.note(user).declaration.requires == ["WeatherAPI.WeatherService"])

        // The same from the files alone, with the texts of both.
        let other = try InterfaceFixture()
        try other.plugins.run(
            """
            mkdir -p Plugins; cp -r \(user.folder) Plugins/
            cp \(fixture.scratch.file("Plugins"))/common.so Plugins/
            cp \(fixture.scratch.file("Plugins"))/weather-api.so Plugins/
            """)
        #expect(other.build(other.request("Show", "show")) == ["show: built"])
    }

    @Test("an interface is built when it has to be, and its users only for another text of it")
    func textAlone() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface("WeatherAPI", id: "weather-api")
        let provider = try fixture.addProvider()
        #expect(fixture.build(provider) == ["sunny: built", "weather-api: built"])
        #expect(fixture.build(provider) == ["sunny: up to date"])

        let source = "Plugins/WeatherAPI/WeatherAPI.swift"
        try fixture.scratch.write(
            InterfaceFixture.weather.replacing("\"short\"", with: "\"shorter\""), to: source)
        #expect(fixture.build(provider) == ["sunny: up to date", "weather-api: built"])
        #expect(fixture.builder.freshness(of: provider) == .fresh)

        try fixture.scratch.write(
            InterfaceFixture.weather + "public protocol More {}\n", to: source)
        #expect(fixture.build(interface) == ["weather-api: built"])
        #expect(fixture.builder.freshness(of: provider) == .stale)
        #expect(fixture.build(provider) == ["sunny: built"])
    }

    @Test("services are qualified with the interface that has them, the host's own as well")
    func qualified() throws {
        let fixture = try InterfaceFixture()
        try fixture.addInterface("WeatherAPI", id: "weather-api")
        let user = try fixture.addModule(
            "Show", id: "show", interfaces: ["weather-api"],
            requires: ["Module", "Report.Reader", "WeatherAPI.WeatherService"])
        #expect(fixture.build(user).first == "show: built")
        #expect(
            try fixture.note(user).declaration.requires == [
                "EavesInterface.Module", "WeatherAPI.Report.Reader", "WeatherAPI.WeatherService",
            ])
    }

    @Test("an interface that the program has linked in is taken from the SDK")
    func linked() throws {
        let host = try HostFixture.copy()
        let text = try #require(
            try ELFFile(InterfaceFixture.made.get().file)
                .section(named: InterfaceSection.name, limit: 1 << 20))
        try Files.replace(
            host.scratch.file("bin/Modules/WeatherAPI.swiftinterface"), with: text)
        var plugins = try PluginFixture(host: host)
        plugins.builder.lookup.linked = [
            ProgramInterface(
                id: "weather-api", module: "WeatherAPI",
                version: InterfaceVersion(major: 1, minor: 2))
        ]
        let fixture = InterfaceFixture(plugins: plugins)
        let provider = try fixture.addProvider()
        #expect(fixture.build(provider) == ["sunny: built"])
        let declaration = try fixture.note(provider).declaration
        #expect(declaration.interfaces == [Self.noted])
        #expect(declaration.provides.map(\.service) == ["WeatherAPI.WeatherService"])
        #expect(fixture.build(provider) == ["sunny: up to date"])
    }

    @Test("a link in the place of the folder of interfaces is not followed")
    func linkedFolder() throws {
        let fixture = try InterfaceFixture()
        let provider = try fixture.addProvider()
        try fixture.plugins.run(
            """
            cp \(InterfaceFixture.made.get().file) Plugins; mkdir Plugins/.eaves-records elsewhere
            ln -s ../../elsewhere Plugins/.eaves-records/interfaces
            """)
        let cause = fixture.builder.build([provider])[0].error?.cause
        guard case .untrusted(.link(let place)) = cause else {
            Issue.record("\(String(describing: cause))")
            return
        }
        #expect(place.path == fixture.scratch.file("Plugins/.eaves-records/interfaces"))
        #expect(try fixture.scratch.names(in: "elsewhere") == [])
    }

    @Test("each step of the compiler keeps the build's folder in use, also if the build is killed")
    func inherited() throws {
        let scratch = try TemporaryFolder()
        let script = """
            #!/bin/sh
            case "$TMPDIR" in *.eaves-build.*)
                readlink /proc/self/fd/3 >> \(scratch.path)/steps || echo none >> \(scratch.path)/steps
            esac
            exec \(try Toolchain.locate().swiftc) "$@"

            """
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = try scratch.writeProgram(script, to: "swiftc")
        let fixture = try InterfaceFixture(environment: environment)
        let request = try fixture.addInterface("Weather", id: "weather-api")
        #expect(fixture.builder.build([request])[0].error == nil)
        let steps = try scratch.read("steps").split(separator: "\n")
        #expect(steps.count > 1 && steps.allSatisfy { $0.contains("/.eaves-build.") }, "\(steps)")
    }

    @Test("interfaces that no record names are removed once they are old")
    func unused() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface("WeatherAPI", id: "weather-api")
        #expect(fixture.build(interface) == ["weather-api: built"])
        let cache = "Plugins/.eaves-records/interfaces"
        let first = try fixture.scratch.names(in: cache)
        try fixture.plugins.run(
            "mkdir -p \(cache)/unused \(cache)/young; touch -d '2 hours ago' \(cache)/*")
        try fixture.plugins.run("touch \(cache)/young")
        try fixture.scratch.write("public protocol More {}\n", to: "Plugins/WeatherAPI/More.swift")
        #expect(fixture.build(interface) == ["weather-api: built"])
        let left = Set(try fixture.scratch.names(in: cache))
        #expect(left.contains("young") && !left.contains("unused"))
        #expect(!left.contains(first[0]))
        #expect(left.count == 2)
        // However old it is, one that a record names stays.
        try fixture.plugins.run("touch -d '2 hours ago' \(cache)/*")
        let other = try fixture.addInterface(
            "Tides", id: "tides", source: "public protocol Tide {}\n")
        #expect(fixture.build(other) == ["tides: built"])
        let named = left.subtracting(["young"])
        #expect(try named.isSubset(of: fixture.scratch.names(in: cache)))
    }
}
