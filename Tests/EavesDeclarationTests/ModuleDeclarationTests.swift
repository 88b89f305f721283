// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesTestSupport
import Testing

@Suite("module.json")
struct ModuleDeclarationTests {
    private static let login = """
        { "$schema": "https://example.org/module.schema.json",
          "id": "login", "version": "1.0.0", "summary": "Log in", "layer": "feature",
          "provides": [ { "service": "LoginFactory" }, { "service": "Login.Log", "name": "old" } ],
          "requires": [ "Routing", "UserService" ],
          "features": [ { "name": "login", "summary": "Open the login screen" } ] }
        """

    private func read(_ text: String) throws(DeclarationError) -> ModuleDeclaration {
        try SourceDeclaration(Array(text.utf8), path: "Login/module.json").declaration
    }

    private func messages(_ text: String) -> [String] {
        let result = Result { () throws(DeclarationError) in try read(text) }
        return result.failure?.diagnostics.map(\.message) ?? []
    }

    @Test("says what a module is, provides, requires and offers")
    func reads() throws {
        let declaration = try read(Self.login)
        #expect(
            declaration
                == ModuleDeclaration(
                    id: "login", version: "1.0.0", summary: "Log in", layer: .feature,
                    provides: [
                        Provision(service: "LoginFactory"),
                        Provision(service: "Login.Log", name: "old"),
                    ],
                    requires: ["Routing", "UserService"],
                    features: [
                        FeatureDeclaration(name: "login", summary: "Open the login screen")
                    ]))
        #expect(declaration.provides("LoginFactory") && !declaration.provides("Routing"))
        #expect(declaration.declares(.feature("login")))
        #expect(!declaration.declares(.feature("logout")))
    }

    @Test("needs no more than id, version and layer")
    func shortest() throws {
        let declaration = try read(#"{"id":"a","version":"1","layer":"core"}"#)
        #expect(declaration == ModuleDeclaration(id: "a", version: "1", layer: .core))
    }

    @Test("names the type for the build, which is no part of the declaration")
    func entry() throws {
        let text = #"{"id":"a","version":"1","layer":"core","entry":"Sunny.Main"}"#
        let source = try SourceDeclaration(Array(text.utf8), path: "module.json")
        #expect(source.entry == "Sunny.Main")
        #expect(source.declaration == ModuleDeclaration(id: "a", version: "1", layer: .core))
        #expect(try read(text) == source.declaration)
        #expect(!source.declaration.json.text(pretty: false).contains("entry"))
        let plain = #"{"id":"a","version":"1","layer":"core"}"#
        #expect(try SourceDeclaration(Array(plain.utf8), path: "module.json").entry == nil)
    }

    @Test("is the same when it is written and read again")
    func roundTrip() throws {
        let declaration = try read(Self.login)
        #expect(try read(declaration.json.text(pretty: true)) == declaration)
        #expect(try read(declaration.json.text(pretty: false)) == declaration)
    }

    @Test(
        "each mistake has one message with its place",
        arguments: [
            ("", "1:1: expected a value, found the end of the text"),
            ("[]", "1:1: expected an object, found an array"),
            (#"{"version":"1","layer":"core"}"#, "1:1: the key 'id' is missing"),
            (#"{"id":"a","layer":"core"}"#, "1:1: the key 'version' is missing"),
            (#"{"id":"a","version":"1"}"#, "1:1: the key 'layer' is missing"),
            (
                #"{"id":"a","version":"1","layer":"cor"}"#,
                "1:33: layer: expected 'interface', 'core', 'feature' or 'composition', found 'cor'"
            ),
            (
                #"{"id":"a","version":1,"layer":"core"}"#,
                "1:21: version: expected a string, found a number"
            ),
            (
                #"{"id":"A b","version":"1","layer":"core"}"#,
                "1:7: id: expected small letters and digits, with '.', '_' and '-' between, 64 bytes at most, found 'A b'"
            ),
            (
                #"{"id":"../a","version":"1","layer":"core"}"#,
                "1:7: id: expected small letters and digits, with '.', '_' and '-' between, 64 bytes at most, found '../a'"
            ),
        ])
    func mistakes(text: String, message: String) {
        #expect(messages(text) == ["Login/module.json:\(message)"])
    }

    @Test(
        "each mistake in a further member has one message with its place",
        arguments: [
            (#""requirs":[]"#, "1:40: unknown key 'requirs', did you mean 'requires'?"),
            (#""provides":{}"#, "1:51: provides: expected an array, found an object"),
            (#""provides":["S"]"#, "1:52: provides[0]: expected an object, found a string"),
            (
                #""provides":[{"servise":"S","service":"S"}]"#,
                "1:53: provides[0]: unknown key 'servise', did you mean 'service'?"
            ),
            (#""provides":[{"name":"n"}]"#, "1:52: provides[0]: the key 'service' is missing"),
            (
                #""provides":[{"service":"S"},{"service":"S"}]"#,
                "1:68: provides[1]: 'S' is named twice"
            ),
            (
                #""requires":["A","b c"]"#,
                "1:56: requires[1]: expected the name of a protocol, such as UserService, found 'b c'"
            ),
            (#""requires":["A","A"]"#, "1:56: requires[1]: 'A' is named twice"),
            (#""features":[{"name":"f"},{"name":"f"}]"#, "1:65: features[1]: 'f' is named twice"),
            (
                #""features":[{"name":"-f"}]"#,
                "1:60: features[0].name: expected letters and digits, with '.', '_' and '-' between, 64 bytes at most, found '-f'"
            ),
            (
                #""summary":"\u001b[2J""#,
                "1:50: summary: expected one line without control characters, found '\u{1b}[2J'"
            ),
            (#""entry":1"#, "1:48: entry: expected a string, found a number"),
            (
                #""entry":"my-module""#,
                "1:48: entry: expected the name of a Swift type, such as SunnyModule, found 'my-module'"
            ),
            (#""id":"b""#, "1:40: duplicate key 'id', first at 1:2"),
        ])
    func mistakes(member: String, message: String) {
        mistakes(
            text: #"{"id":"a","version":"1","layer":"core",\#(member)}"#, message: message)
    }

    @Test("all mistakes are told together, in order, each with code and fix")
    func allMistakes() throws {
        let text = """
            {
              "id": "Login",
              "version": "1.0.0",
              "layer": "features",
              "provide": [],
              "requires": [ 1, 2 ]
            }
            """
        let error = #expect(throws: DeclarationError.self) { try read(text) }
        let diagnostics = try #require(error).diagnostics
        #expect(
            diagnostics.map { $0.message.split(separator: " ")[0] } == [
                "Login/module.json:2:9:", "Login/module.json:4:12:", "Login/module.json:5:3:",
                "Login/module.json:6:17:", "Login/module.json:6:20:",
            ])
        #expect(diagnostics.allSatisfy { $0.code == .badData && $0.fix != nil })
    }

    @Test("a folder, a pipe and nothing in its place are told")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let directory = try folder.createFolder("module.json")
        let cases = [
            (directory, "cannot read it: Is a directory", FailureCode.inputOutput),
            (directory + "x", "cannot open it: No such file or directory", .notFound),
        ]
        for (path, message, code) in cases {
            let error = #expect(throws: DeclarationError.self) {
                try ModuleDeclaration.load(path, shownAs: "module.json")
            }
            #expect(error?.diagnostics.map(\.message) == ["module.json: \(message)"])
            #expect(error?.diagnostics.map(\.code) == [code])
        }
    }
}

@Suite("Names")
struct NameRuleTests {
    @Test(
        "are allowed",
        arguments: [
            (NameRule.moduleID, "users-v2"), (.moduleID, "a.b_c-d"), (.moduleID, "0"),
            (.moduleID, "a.."), (.serviceName, "_x1"), (.serviceName, "a.b.c"),
            (.moduleID, String(repeating: "a", count: 64)),
            (.featureName, "Users"),
            (.featureName, String(repeating: "A", count: 64)),
            (.version, String(repeating: "1", count: 64)), (.serviceName, "UserService"),
            (.serviceName, "Users.Größe"),
            (.serviceName, "_S"), (.version, "1.0.0-beta.2+5"), (.line, ""),
            (.line, "Zeilen – ja 👩‍🚀"),
            (.name, "x"), (.typeName, "SunnyModule"), (.typeName, "Sunny.Main"),
        ])
    func allowed(rule: NameRule, text: String) {
        #expect(rule.allows(text))
    }

    @Test(
        "are refused",
        arguments: [
            (NameRule.moduleID, ""), (.moduleID, "Users"), (.moduleID, "-a"), (.moduleID, ".a"),
            (.moduleID, "_a"), (.moduleID, "a b"), (.moduleID, "a\0"), (.moduleID, "a\n"),
            (.serviceName, "."), (.serviceName, "a..b"), (.serviceName, "a-b"),
            (.serviceName, "a<B>"), (.serviceName, "a\0"),
            (.moduleID, "a/b"), (.moduleID, "é"), (.moduleID, String(repeating: "a", count: 65)),
            (.featureName, "a b"), (.featureName, "--help"), (.featureName, ""),
            (.featureName, String(repeating: "A", count: 65)),
            (.version, String(repeating: "1", count: 65)),
            (.serviceName, ""), (.serviceName, "A."), (.serviceName, ".A"), (.serviceName, "1A"),
            (.serviceName, "any P"), (.version, ""), (.version, "1 0"), (.version, "v\n"),
            (.line, "a\nb"), (.line, "\u{1b}[31m"), (.line, "\u{7f}"), (.line, "\u{9b}31m"),
            (.typeName, ""), (.typeName, "my-module"), (.typeName, "Sunny<Int>"),
            (.line, "\u{202e}txt"), (.line, "a\u{2028}b"), (.name, ""),
        ])
    func refused(rule: NameRule, text: String) {
        #expect(!rule.allows(text))
    }
}

@Suite("names of services")
struct ServiceNamesTests {
    @Test("mean the qualified one, if there is only one")
    func canonical() {
        let names = ServiceNames(["UserService", "CommonInterface.UserService", "A.Log", "B.Log"])
        #expect(names.canonical("UserService") == "CommonInterface.UserService")
        #expect(names.canonical("Log") == "Log")
        #expect(names.canonical("Other") == "Other")
        let declared = ServiceNames(["UserService"], protocols: ["A.UserService", "B.Unused"])
        #expect(declared.canonical("UserService") == "A.UserService")
        #expect(declared.shown("A.UserService") == "UserService")
    }

    @Test("are shown as people write them, and qualified where two interfaces have the same")
    func shown() {
        let names = ServiceNames(["UserService", "CommonInterface.UserService", "A.Log", "B.Log"])
        #expect(names.shown("CommonInterface.UserService") == "UserService")
        #expect(names.shown("A.Log") == "A.Log")
    }

    @Test("tell which services a name can mean")
    func meanings() {
        let names = ServiceNames(["Log", "A.Log", "B.Log", "UserService", "A.UserService", "Clock"])
        #expect(names.sharedWords == ["Log"])
        #expect(names.meanings(of: "Log") == ["A.Log", "B.Log"])
        #expect(names.meanings(of: "A.Log") == ["A.Log"])
        #expect(names.meanings(of: "UserService") == ["A.UserService"])
        #expect(names.meanings(of: "Clock") == ["Clock"])
        #expect(names.meanings(of: "Other") == [])
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
