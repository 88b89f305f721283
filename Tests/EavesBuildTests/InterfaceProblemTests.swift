// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// Builds modules that name interfaces, or services, that they cannot have.
@Suite(.patiently) struct InterfaceProblemTests {
    private static let air = "public protocol AirService {}\npublic protocol WeatherService {}\n"

    @Test("a service that no interface has is an error that says what may be meant")
    func unknownServices() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface("WeatherAPI", id: "weather-api")
        let air = try fixture.addInterface("AirAPI", id: "air-api", source: Self.air)
        #expect(fixture.build(interface, air).count == 2)
        let user = try fixture.addModule(
            "Show", id: "show", interfaces: ["weather-api"], provides: ["AirService"],
            requires: ["WeatherServise", "Nowhere"])
        let error = try fixture.error(user)
        #expect(
            error.diagnostics == [
                Diagnostic(
                    "show: the service 'AirService' is a protocol of none of its interfaces, "
                        + "EavesInterface, WeatherAPI",
                    fix: "add 'air-api' to \"interfaces\" in its module.json", code: .badData),
                Diagnostic(
                    "show: the service 'WeatherServise' is a protocol of none of its interfaces, "
                        + "EavesInterface, WeatherAPI, did you mean 'WeatherService'?",
                    fix: "write 'WeatherService' in its module.json", code: .badData),
                Diagnostic(
                    "show: the service 'Nowhere' is a protocol of none of its interfaces, "
                        + "EavesInterface, WeatherAPI",
                    fix: "name the interface module that declares it in \"interfaces\", or correct "
                        + "its name in module.json",
                    code: .badData),
            ])
    }

    @Test("a service of an interface module that is not built yet is found in its sources")
    func unbuiltInterface() throws {
        let fixture = try InterfaceFixture()
        func fix(_ requests: BuildRequest...) -> String? {
            let errors = fixture.builder.build(requests).compactMap(\.error)
            return errors.first { $0.subject == "show" }?.diagnostics.first?.fix
        }
        let name = #"add 'air-api' to "interfaces" in its module.json"#
        let air = try fixture.addInterface("AirAPI", id: "air-api", source: Self.air)
        let user = try fixture.addModule("Show", id: "show", requires: ["AirService"])
        #expect(fix(user) == name)
        try fixture.addModule("Show", id: "show", requires: ["AirAPI.AirService"])
        #expect(fix(user) == name)
        // A folder elsewhere, which is built in the same run.
        try fixture.plugins.run("mkdir Others; mv Plugins/AirAPI Others")
        #expect(fix(user)?.hasPrefix("name the interface module") == true)
        var elsewhere = air
        elsewhere.folder = fixture.scratch.file("Others/AirAPI")
        #expect(fix(user, elsewhere) == name)
        // One whose file is older than the protocol.
        try fixture.plugins.run("mv Others/AirAPI Plugins")
        try fixture.addInterface(
            "AirAPI", id: "air-api", source: Self.air + "public protocol NewService {}\n")
        try fixture.addModule("Show", id: "show", requires: ["NewService"])
        #expect(fix(user) == name)
    }

    @Test("a service that two interfaces have is asked for by its qualified name")
    func ambiguousService() throws {
        let fixture = try InterfaceFixture()
        try fixture.addInterface("WeatherAPI", id: "weather-api")
        try fixture.addInterface("AirAPI", id: "air-api", source: Self.air)
        let both = ["weather-api", "air-api"]
        var user = try fixture.addModule(
            "Show", id: "show", interfaces: both, requires: ["WeatherService"])
        #expect(
            try fixture.error(user).diagnostics == [
                Diagnostic(
                    "show: the service 'WeatherService' is a protocol of several interfaces: "
                        + "WeatherAPI.WeatherService, AirAPI.WeatherService",
                    fix: "write the qualified name in its module.json, such as "
                        + "'WeatherAPI.WeatherService'",
                    code: .badData)
            ])
        user = try fixture.addModule(
            "Show", id: "show", interfaces: both, requires: ["AirAPI.WeatherService"])
        #expect(fixture.build(user) == ["show: built"])
        #expect(try fixture.note(user).declaration.requires == ["AirAPI.WeatherService"])
    }

    @Test("an interface that is nowhere is an error that names those that there are")
    func missing() throws {
        let fixture = try InterfaceFixture()
        try fixture.plugins.run("mkdir Plugins; cp \(InterfaceFixture.made.get().file) Plugins")
        let near = try fixture.addModule("Show", id: "show", interfaces: ["weather-apo"])
        #expect(
            try fixture.error(near).diagnostics == [
                Diagnostic(
                    "show: there is no interface module 'weather-apo', did you mean "
                        + "'weather-api'?",
                    fix: "write 'weather-api' in \"interfaces\" of its module.json",
                    code: .notFound)
            ])
        let far = try fixture.addModule("Show", id: "show", interfaces: ["tides"])
        let diagnostic = try #require(try fixture.error(far).diagnostics.first)
        #expect(diagnostic.message == "show: there is no interface module 'tides'")
        #expect(diagnostic.fix?.hasPrefix("put its .so or its folder next to") == true)
    }

    @Test("a module of another layer is no interface, built or not")
    func notAnInterface() throws {
        let fixture = try InterfaceFixture()
        let other = try fixture.addModule("Other", id: "other")
        let user = try fixture.addModule("Show", id: "show", interfaces: ["other"])
        let unbuilt = try fixture.error(user)
        #expect(
            unbuilt.cause
                == .interfaces([
                    .notAnInterface(id: "other", file: "Plugins/Other", layer: .feature)
                ]))
        #expect(fixture.build(other) == ["other: built"])
        try Files.removeTree(other.folder)
        #expect(
            try fixture.error(user).diagnostics == [
                Diagnostic(
                    "show: expected 'other' to be an interface module, found one of the layer "
                        + "'feature' (Plugins/other.so)",
                    fix: "remove 'other' from \"interfaces\": modules use each other's services, "
                        + "and compile against interfaces alone",
                    code: .badData)
            ])
    }

    @Test("two interfaces with one Swift module cannot be named together")
    func sameModule() throws {
        let fixture = try InterfaceFixture()
        try fixture.addInterface("WeatherAPI", id: "weather-api")
        try fixture.addInterface("Copy", id: "copy", module: "WeatherAPI")
        let user = try fixture.addModule("Show", id: "show", interfaces: ["weather-api", "copy"])
        #expect(
            try fixture.error(user).diagnostics.map(\.message) == [
                "show: the interface modules 'weather-api' and 'copy' have the same Swift module "
                    + "'WeatherAPI'"
            ])
    }

    @Test("an interface for another host, or without its text, is refused before the compiler runs")
    func otherHost() throws {
        let host = try HostFixture.copy()
        let maker = try InterfaceFixture(host: host)
        let interface = try maker.addInterface("WeatherAPI", id: "weather-api")
        #expect(maker.build(interface) == ["weather-api: built"])

        let newer = try InterfaceFixture(host: try HostFixture.copy())
        let header = newer.plugins.host.header
        try newer.plugins.run("sed -i 's/MAJOR 1/MAJOR 2/' \(header)")
        let user = try newer.addProvider()
        try newer.plugins.run("cp \(interface.output) Plugins/weather-api.so")
        #expect(
            try newer.error(user).diagnostics == [
                Diagnostic(
                    "sunny: the interface module 'weather-api' is for another host: built for "
                        + "interface 1.4, this host has 2.4 (Plugins/weather-api.so)",
                    fix: "build 'weather-api' again with 'eaves build', or take one for this host",
                    code: .incompatible)
            ])

        let fixture = try InterfaceFixture()
        let provider = try fixture.addProvider()
        try fixture.plugins.run(
            """
            strip=$(dirname $(readlink -f $(command -v swiftc)))/llvm-objcopy
            command -v $strip > /dev/null || strip=objcopy
            $strip --remove-section .eaves_interface \(interface.output) Plugins/weather-api.so
            """)
        #expect(
            try fixture.error(provider).diagnostics == [
                Diagnostic(
                    "sunny: the interface module 'weather-api' has no textual interface to compile "
                        + "against: no section '.eaves_interface' (Plugins/weather-api.so)",
                    fix: "build 'weather-api' with 'eaves build', which puts it there",
                    code: .badData)
            ])

        try fixture.plugins.run("head -c 3000 \(interface.output) > Plugins/weather-api.so")
        let problem = try #require(try fixture.error(provider).diagnostics.first)
        #expect(
            problem.message.hasPrefix(
                "sunny: cannot use the interface module 'weather-api': the file is cut short"))
    }

    @Test("a file that others can change is not compiled against")
    func untrusted() throws {
        let fixture = try InterfaceFixture()
        try fixture.plugins.run(
            """
            mkdir Plugins; cp \(InterfaceFixture.made.get().file) Plugins
            chmod 666 Plugins/weather-api.so
            """)
        let diagnostic = try #require(
            try fixture.error(try fixture.addProvider()).diagnostics.first)
        #expect(diagnostic.code == .untrusted)
        #expect(diagnostic.message.contains("weather-api.so"))
    }

    @Test("interfaces that name each other in a circle are shown as they go")
    func circle() throws {
        let fixture = try InterfaceFixture()
        let first = try fixture.addInterface("First", id: "first", interfaces: ["second"])
        try fixture.addInterface("Second", id: "second", interfaces: ["first"])
        let results = fixture.builder.build([first])
        let errors = results.compactMap(\.error)
        #expect(errors.count == 2)
        #expect(
            errors.contains { error in
                error.description.contains(
                    "interface modules name each other in a circle: ")
            })
    }

    @Test("a module is not compiled against the old file of an interface that does not compile")
    func brokenAgain() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface("WeatherAPI", id: "weather-api")
        let user = try fixture.addProvider()
        #expect(fixture.build(user) == ["sunny: built", "weather-api: built"])
        let old = try Files.read(interface.output)
        try fixture.addInterface(
            "WeatherAPI", id: "weather-api", source: "public protocol WeatherService { nothing }\n")
        let results = fixture.builder.build([user])
        #expect(
            results.map(\.error?.description) == [
                "sunny: the interface module 'weather-api' was not built\n"
                    + "fix: correct the errors of that module first",
                "weather-api: does not compile\n"
                    + "fix: correct what the compiler names above, and build again",
            ])
        #expect(try Files.read(interface.output) == old)
    }

    @Test("an interface module that was built against another version has to be built again")
    func otherVersion() throws {
        let fixture = try InterfaceFixture()
        let city = "public struct City: Sendable {}\n"
        let common = try fixture.addInterface("Common", id: "common", source: city)
        let weather = try fixture.addInterface(
            "WeatherAPI", id: "weather-api", interfaces: ["common"],
            source: "public protocol WeatherService {}\n")
        #expect(fixture.build(common, weather).count == 2)
        // The file was delivered, and its sources are not here.
        try fixture.plugins.run(
            "mv Plugins/WeatherAPI gone; rm Plugins/.eaves-records/weather-api.so.json")
        try fixture.addInterface("Common", id: "common", version: "2.0.0", source: city)
        let user = try fixture.addModule("Show", id: "show", interfaces: ["weather-api", "common"])
        let errors = fixture.builder.build([user]).compactMap(\.error)
        #expect(
            errors.flatMap(\.diagnostics).map(\.message) == [
                "show: the interface module 'weather-api' was built against common 1.0 "
                    + "('Common'), found 2.0 ('Common')"
            ])
    }

    @Test("an interface module defines no entry point")
    func entryPoint() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface(
            "WeatherAPI", id: "weather-api",
            source: """
                import CEaves
                @c(eaves_register)
                public func register(_ host: UnsafePointer<eaves_host>) -> Int32 { 0 }

                """)
        #expect(
            try fixture.error(request).cause
                == .interfaces([.hasEntry(folder: "Plugins/WeatherAPI")]))
    }
}
