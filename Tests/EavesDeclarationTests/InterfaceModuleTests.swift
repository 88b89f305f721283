// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesJSON
import Testing

@Suite("An interface module")
struct InterfaceModuleTests {
    private static let declaration = ModuleDeclaration(
        id: "weather-api", version: "1.2.0", summary: "The weather", layer: .interface,
        interfaces: [
            InterfaceNeed(
                "places",
                built: InterfaceStamp(
                    module: "Places", version: InterfaceVersion(major: 3, minor: 0),
                    otherModules: ["DequeModule"]))
        ],
        interface: InterfaceContent(
            module: "WeatherAPI", protocols: ["Outer.Wind", "WeatherService"],
            otherModules: ["Formats", "_Units"]))

    private func messages(_ text: String) -> [String] {
        do throws(DeclarationError) {
            _ = try ModuleDeclaration(Array(text.utf8), path: "module.json")
            return []
        } catch {
            return error.problems.map(\.message)
        }
    }

    @Test("is read from a note as it was written")
    func note() throws {
        let note = ModuleNote(declaration: Self.declaration, tag: BuildTag(abi: 1))
        let bytes = Array(note.json.text(pretty: false).utf8)
        #expect(try ModuleNote(json: bytes) == note)
        #expect(
            note.declaration.interfaceStamp
                == InterfaceStamp(
                    module: "WeatherAPI", version: InterfaceVersion(major: 1, minor: 2),
                    otherModules: ["Formats", "_Units"]))
    }

    @Test("is named by others with the version that they were built against")
    func users() throws {
        let user = ModuleDeclaration(
            id: "rain", version: "1", layer: .feature,
            provides: [Provision(service: "WeatherAPI.WeatherService")],
            requires: ["EavesInterface.Routing"],
            interfaces: [
                InterfaceNeed("weather-api", built: Self.declaration.interfaceStamp)
            ])
        let note = ModuleNote(declaration: user, tag: BuildTag(abi: 1))
        let bytes = Array(note.json.text(pretty: false).utf8)
        #expect(try ModuleNote(json: bytes) == note)
        let source = try ModuleDeclaration(
            Array(
                #"""
                {"id":"rain","version":"1","layer":"feature","interfaces":["weather-api"],
                 "provides":[{"service":"WeatherService"}],"requires":["Routing"]}
                """#.utf8), path: "module.json")
        #expect(source.interfaces == [InterfaceNeed("weather-api")])
        #expect(source.agrees(withBuilt: user))
        var other = source
        other.requires = ["Clock"]
        #expect(!other.agrees(withBuilt: user))
        other = source
        other.interfaces = []
        #expect(!other.agrees(withBuilt: user))
    }

    @Test(
        "has a version of two numbers, no services, and alone names its Swift module",
        arguments: [
            (
                #"{"id":"a","version":"1","layer":"interface"}"#,
                "version: expected two numbers at its beginning, as in 1.0, because its layer is "
                    + "'interface'; found '1'"
            ),
            (
                #"{"id":"a","version":"1.0","layer":"interface","features":[{"name":"x"}]}"#,
                "features: a module of the layer 'interface' has protocols alone: it provides and "
                    + "requires nothing"
            ),
            (
                #"{"id":"a","version":"1.0","layer":"interface","module":"a-b"}"#,
                "module: expected the name of a Swift module, such as WeatherAPI, found 'a-b'"
            ),
            (
                #"{"id":"a","version":"1.0","layer":"core","module":"A"}"#,
                "module: only a module of the layer 'interface' can name its Swift module"
            ),
            (
                #"{"id":"a","version":"1.0","layer":"core","interfaces":["b","b"]}"#,
                "interfaces[1]: 'b' is named twice"
            ),
            (
                #"{"id":"a","version":"1.0","layer":"core","interfaces":[{"id":"b"}]}"#,
                "interfaces[0]: expected a string, found an object"
            ),
        ])
    func mistakes(text: String, message: String) {
        #expect(messages(text) == [message])
    }
}

@Suite("The name of a service")
struct ServiceNameTests {
    @Test(
        "means every service of that name, unless it is qualified",
        arguments: [
            ("UserService", "UserService", true),
            ("UserService", "CommonInterface.UserService", true),
            ("CommonInterface.UserService", "UserService", true),
            ("CommonInterface.UserService", "OtherAPI.UserService", false),
            ("Service", "CommonInterface.UserService", false),
            ("Outer.Wind", "WeatherAPI.Outer.Wind", true),
            ("Wind", "WeatherAPI.Outer.Wind", true),
            ("A.Wind", "WeatherAPI.Outer.Wind", false),
            ("", "UserService", false),
        ])
    func agreement(left: String, right: String, isSame: Bool) {
        #expect(ServiceName.agree(left, right) == isSame)
        #expect(ServiceName.agree(right, left) == isSame)
    }

    @Test("is shown to people without the Swift module")
    func words() {
        #expect(ServiceName.word("CommonInterface.UserService") == "UserService")
        #expect(ServiceName.word("UserService") == "UserService")
        #expect(ServiceName.module("CommonInterface.UserService") == "CommonInterface")
        #expect(ServiceName.module("UserService") == nil)
        #expect("\(Capability.service("A.B", name: "n"))" == "B named 'n'")
    }
}
