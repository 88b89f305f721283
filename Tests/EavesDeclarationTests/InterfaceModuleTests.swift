// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTestSupport
import Testing

@Suite("The owner of an interface")
struct OwnerTests {
    private static let declaration = ModuleDeclaration(
        id: "login-interface", version: "1.0.0", layer: .interface, owner: "login",
        interface: InterfaceContent(module: "LoginInterface", protocols: ["LoginEventHandler"]))

    private func declaration(
        _ members: String, layer: String = "interface"
    ) throws(DeclarationError) -> ModuleDeclaration {
        let text = #"{"id": "a", "version": "1.0", "layer": "\#(layer)", \#(members)}"#
        return try SourceDeclaration(Array(text.utf8), path: "module.json").declaration
    }

    @Test("is read from module.json and from a note")
    func read() throws {
        #expect(try declaration(#""owner": "login""#).owner == "login")
        #expect(try declaration(#""interfaces": []"#).owner == nil)
        let note = ModuleNote(declaration: Self.declaration, tag: .sample)
        let bytes = Array(note.json.text(pretty: false).utf8)
        #expect(try NoteDocument(bytes).note() == note)
    }

    @Test(
        "is the id of another module, and only an interface has one",
        arguments: [
            (
                "core", #""owner": "login""#,
                "owner: only a module of the layer 'interface' can have an owner: the module whose "
                    + "interface it is", "remove it, or make its layer 'interface'"
            ),
            (
                "interface", #""owner": "a""#,
                "owner: expected the id of the module whose interface this is, found its own",
                "write the id of the module that the interface belongs to, or remove it if several "
                    + "share it"
            ),
            ("interface", #""owner": 1"#, "owner: expected a string, found a number", nil),
            (
                "interface", #""owner": "A b""#,
                "owner: expected small letters and digits, with '.', '_' and '-' between, 64 bytes at "
                    + "most, found 'A b'", nil
            ),
        ] as [(String, String, String, String?)])
    func mistakes(layer: String, member: String, message: String, fix: String?) throws {
        do throws(DeclarationError) {
            _ = try declaration(member, layer: layer)
            Issue.record("it was accepted")
        } catch {
            #expect(error.problems.map(\.message) == [message])
            #expect(error.problems.first?.position != nil)
            if let fix { #expect(error.problems.first?.fix == fix) }
        }
    }

    @Test("makes a note wrong that is not of an interface, or names itself")
    func wrongNotes() throws {
        func expectRefused(_ change: (inout ModuleDeclaration) -> Void) {
            var declaration = Self.declaration
            change(&declaration)
            let json = ModuleNote(declaration: declaration, tag: .sample).json
            let bytes = Array(json.text(pretty: false).utf8)
            #expect(throws: NoteError.self) { try NoteDocument(bytes).note() }
        }
        expectRefused { $0.owner = "login-interface" }
        expectRefused {
            $0.layer = .feature
            $0.interface = nil
        }
    }

    @Test("that differs makes a file another one than its sources would")
    func agreement() throws {
        var built = try declaration(#""owner": "login""#)
        #expect(try declaration(#""owner": "login""#).agrees(withBuilt: built))
        built.owner = nil
        #expect(try !declaration(#""owner": "login""#).agrees(withBuilt: built))
    }

    @Test("agrees with the schema")
    func schema() throws {
        let path = Repository.path("Documentation/module.schema.json")
        let schema = try JSONSchema(Files.read(path))
        for (owner, isValid) in [("\"login\"", true), ("\"A b\"", false), ("1", false)] {
            let text = #"{"id": "a", "version": "1.0", "layer": "interface", "owner": \#(owner)}"#
            let violations = try schema.violations(of: JSONNode.parse(Array(text.utf8)))
            #expect(violations.isEmpty == isValid, "\(owner): \(violations)")
        }
    }
}

@Suite("The rule of direction about interfaces that a module owns")
struct ForeignOwnerTests {
    private static let layers: [String: Layer] = [
        "base": .core, "tracking": .core, "login": .feature, "profile": .feature,
        "root": .composition, "second-root": .composition, "common": .interface,
    ]

    private static func user(
        id: String, layer: Layer, owner: String? = nil
    ) -> ModuleDeclaration {
        ModuleDeclaration(id: id, version: "1.0", layer: layer, owner: owner)
    }

    /// Modules that own an interface, and those that may name it.
    static let cases: [(owner: String, users: [String])] = [
        ("tracking", ["tracking", "login", "profile", "root", "second-root"]),
        ("login", ["login", "root", "second-root"]),
        ("root", ["root", "second-root"]),
        ("nowhere", ["root", "second-root"]),
        ("common", ["root", "second-root"]),
    ]

    @Test("lets the owner and the layers above it name them", arguments: cases)
    func modules(owner: String, users: [String]) {
        for (id, layer) in Self.layers where layer != .interface {
            let user = Self.user(id: id, layer: layer)
            let found = LayerRule.foreignOwner(owner, for: user) { Self.layers[$0] }
            let expected =
                users.contains(id) ? nil : ForeignOwner(id: owner, layer: Self.layers[owner])
            #expect(found == expected, "\(id) names an interface of \(owner)")
        }
    }

    @Test("takes an interface for a part of its owner, and keeps common ones out", arguments: cases)
    func interfaces(owner: String, users: [String]) {
        for other in Self.layers.keys.filter({ Self.layers[$0] != .interface }) + ["nowhere"] {
            let user = Self.user(id: "\(other)-interface", layer: .interface, owner: other)
            let found = LayerRule.foreignOwner(owner, for: user) { Self.layers[$0] }
            let isAllowed = users.contains(other) || owner == other
            #expect((found == nil) == isAllowed, "\(other)'s interface names one of \(owner)")
        }
        let common = Self.user(id: "common", layer: .interface)
        #expect(LayerRule.foreignOwner(owner, for: common) { Self.layers[$0] }?.id == owner)
    }

    @Test("asks for no layer where the owner or a composition names an interface")
    func unasked() {
        for user in [
            Self.user(id: "login", layer: .feature),
            Self.user(id: "root", layer: .composition),
            Self.user(id: "login-types", layer: .interface, owner: "login"),
        ] {
            let found = LayerRule.foreignOwner("login", for: user) { id in
                Issue.record("asked for the layer of \(id)")
                return nil
            }
            #expect(found == nil)
        }
    }

    @Test(
        "says whose the interface is, and who may use it",
        arguments: [
            (
                Layer.core,
                "which belongs to the core module 'x': only 'x' and modules of the layers 'feature' and "
                    + "'composition' may use it"
            ),
            (
                .feature,
                "which belongs to the feature 'x': only 'x' and modules of the layer 'composition' may "
                    + "use it"
            ),
            (
                .composition,
                "which belongs to the composition 'x': only 'x' and modules of the layer 'composition' "
                    + "may use it"
            ),
            (
                .interface,
                "which belongs to 'x', which is an interface itself: only 'x' and modules of the layer "
                    + "'composition' may use it"
            ),
            (
                nil,
                "which belongs to 'x', which is not there: only 'x' and modules of the layer "
                    + "'composition' may use it"
            ),
        ] as [(Layer?, String)])
    func words(layer: Layer?, claim: String) {
        #expect(ForeignOwner(id: "x", layer: layer).claim == claim)
    }
}

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
        #expect(try NoteDocument(bytes).note() == note)
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
        #expect(try NoteDocument(bytes).note() == note)
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
