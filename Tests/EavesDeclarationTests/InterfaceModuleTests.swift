// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesJSON
import EavesTestSupport
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
        let read = Result { () throws(DeclarationError) in
            try SourceDeclaration(Array(text.utf8), path: "module.json")
        }
        return read.failure?.problems.map(\.message) ?? []
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
        let text = #"""
            {"id":"rain","version":"1","layer":"feature","interfaces":["weather-api"],
             "provides":[{"service":"WeatherService"}],"requires":["Routing"]}
            """#
        let source = try SourceDeclaration(Array(text.utf8), path: "module.json").declaration
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

@Suite("Versions of the interface")
struct InterfaceVersionTests {
    @Test("are two numbers", arguments: [("1.0", 1, 0), ("12.34", 12, 34), ("0.1", 0, 1)])
    func reads(text: String, major: Int, minor: Int) {
        let version = InterfaceVersion(text)
        #expect(version == InterfaceVersion(major: major, minor: minor))
        #expect(version?.description == text)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "1", "1.", ".1", "1.0.0", "+1.0", "-1.0", "1.-1", "a.b", " 1.0", "1.0 ", "١.٠",
            "99999999999999999999.0",
        ])
    func refuses(text: String) {
        #expect(InterfaceVersion(text) == nil)
    }

    @Test("compare as numbers, not as text")
    func order() throws {
        let texts = ["1.2", "1.10", "2.0", "10.0"]
        #expect(
            texts.shuffled().compactMap(InterfaceVersion.init).sorted().map(\.description) == texts)
    }
}
