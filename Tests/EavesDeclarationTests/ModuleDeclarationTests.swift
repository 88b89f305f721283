// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesSystem
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
