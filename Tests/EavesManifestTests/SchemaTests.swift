// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesManifest
import EavesSystem
import EavesTestSupport
import Testing

@Suite("JSON Schemas")
struct SchemaTests {
    private func schema(_ name: String) throws -> JSONNode {
        try JSONNode.parse(Files.read(Repository.path("Documentation/\(name).schema.json")))
    }

    private func keys(_ node: JSONNode?) -> [String]? {
        node?["properties"]?.members?.map(\.name)
    }

    @Test("the schema of the manifest has the keys that are read, and no others")
    func manifest() throws {
        let schema = try schema("manifest")
        let module = schema["$defs"]?["module"]
        #expect(keys(schema) == ManifestKey.allCases.map(\.rawValue))
        #expect(keys(module) == ManifestKey.Module.allCases.map(\.rawValue))
        let probation = schema["properties"]?["probation"]
        #expect(keys(probation) == ManifestKey.Probation.allCases.map(\.rawValue))
        let permissions = module?["properties"]?["permissions"]
        #expect(keys(permissions) == ManifestKey.Permission.allCases.map(\.rawValue))
        for object in [schema, module, probation, permissions] {
            #expect(object?["additionalProperties"]?.bool == false)
        }
        let isolation = module?["properties"]?["isolation"]
        #expect(isolation?["pattern"]?.string == "^\(ManifestKey.process)$")
        let signatures = schema["properties"]?["signatures"]?["enum"]?.elements
        #expect(signatures?.map(\.string) == SignatureRule.allCases.map(\.rawValue))
    }

    @Test("the schema of the manifest has the defaults of the parser")
    func defaults() throws {
        let written = try schema("manifest")["properties"]?["directories"]?["default"]?.elements
        let taken = try EavesManifestTests.manifest(#"{"manifest":1}"#).directories
        #expect(written?.map(\.string) == taken)
    }

    @Test(
        "the schema of the manifest judges a text as the parser does",
        arguments: [
            ("", true),
            (#""$schema": "x""#, true), (#""$schema": 1"#, false), (#""$schema": """#, false),
            (#""directories": []"#, true), (#""directories": ["a", "b"]"#, true),
            (#""directories": ["a", "a"]"#, false), (#""directories": ["a", "./a/"]"#, true),
            (#""directories": [""]"#, false), (#""directories": "a""#, false),
            (#""compilers": ["6.2"]"#, true), (#""compilers": ["6.2", "6.2"]"#, false),
            (#""compilers": ["6"]"#, false),
            (#""modules": {"a": {"enabled": false, "settings": {"x": 1}}}"#, true),
            (#""modules": {"A": {}}"#, false), (#""modules": {"a": {"enabled": 1}}"#, false),
            (#""modules": {"a": {"sha256": "12"}}"#, false), (#""modules": {"a": 1}"#, false),
            (#""modules": {"a": {"isolation": "process"}}"#, true),
            (#""modules": {"a": {"isolation": "none"}}"#, false),
            (#""modules": {"a": {"isolation": {"worker": "data-1"}}}"#, false),
            (#""modules": {"a": {"isolation": 1}}"#, false),
            (#""modules": {"a": {"limits": {"call": "5s", "memory": "256MB"}}}"#, true),
            (#""modules": {"a": {"limits": {"call": "250ms"}}}"#, true),
            (#""modules": {"a": {"limits": {"call": "5"}}}"#, false),
            (#""modules": {"a": {"limits": {"call": "0s"}}}"#, false),
            (#""modules": {"a": {"limits": {"call": 5}}}"#, false),
            (#""modules": {"a": {"limits": {"memory": "1TB"}}}"#, false),
            (#""modules": {"a": {"limits": {"time": "1s"}}}"#, false),
            (#""modules": {"a": {"limits": {"processes": 1}}}"#, true),
            (#""modules": {"a": {"limits": {"processes": 0}}}"#, false),
            (#""modules": {"a": {"limits": {"processes": 10001}}}"#, false),
            (#""modules": {"a": {"limits": {"processes": "2"}}}"#, false),
            (#""modules": {"a": {"limits": {"temporary": "4GB"}}}"#, true),
            (#""modules": {"a": {"limits": {"temporary": 4}}}"#, false),
            (
                #""modules": {"a": {"permissions": {"read": ["a"], "write": [], "run": ["/b"]}}}"#,
                true
            ),
            (#""modules": {"a": {"permissions": {"read": [""]}}}"#, false),
            (#""modules": {"a": {"permissions": {"environment": ["A"], "resolve": true}}}"#, true),
            (#""modules": {"a": {"permissions": {"environment": ["A=1"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"environment": [""]}}}"#, false),
            (#""modules": {"a": {"permissions": {"resolve": 1}}}"#, false),
            (#""modules": {"a": {"permissions": {"delete": ["a"]}}}"#, false),
            (
                #""modules": {"a": {"permissions": {"connect": ["a-b.c:1", "*:*", "[::1]:80"]}}}"#,
                true
            ),
            (#""modules": {"a": {"permissions": {"listen": ["127.0.0.1:8080"]}}}"#, true),
            (#""modules": {"a": {"permissions": {"listen": ["127.0.0.1"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": ["127.0.0.1:0"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": ["::1:80"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": ["[a]:80"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": [":80"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": ["a b:80"]}}}"#, false),
            (#""modules": {"a": {"permissions": {"listen": ["a:+80"]}}}"#, false),
            (#""modules": {"a": {"executableStack": true}}"#, true),
            (#""modules": {"a": {"executableStack": "yes"}}"#, false),
            (#""modules": {"a": {"discardState": true}}"#, true),
            (#""modules": {"a": {"discardState": "yes"}}"#, false),
            (#""bindings": {"Users": "a"}"#, true), (#""bindings": {"1": "a"}"#, false),
            (#""bindings": {"Users": "A"}"#, false), (#""launch": """#, false),
            (#""bindings": {"Users#old": "a"}"#, true), (#""bindings": {"Users#": "a"}"#, false),
            (#""bindings": {"A.B#a b#c=d": "a"}"#, true), (##""bindings": {"#old": "a"}"##, false),
            (#""bindings": {"Users#a\nb": "a"}"#, false), (#""bindings": {"Users": 1}"#, false),
            (#""bindings": {"Users": {"a": 10, "b": 90, "by": "user"}}"#, true),
            (#""bindings": {"Users": {"a": 1, "b": 0}}"#, true),
            (#""bindings": {"Users#old": {"a": 1.0, "b": 1e9}}"#, true),
            (#""bindings": {"Users": {}}"#, false), (#""bindings": {"Users": {"a": 0}}"#, false),
            (#""bindings": {"Users": {"by": "user"}}"#, false),
            (#""bindings": {"Users": {"a": 0, "by": "user"}}"#, false),
            (#""bindings": {"Users": {"a": -1, "b": 2}}"#, false),
            (#""bindings": {"Users": {"a": 1.5}}"#, false),
            (#""bindings": {"Users": {"a": "1"}}"#, false),
            (#""bindings": {"Users": {"a": 1000000001}}"#, false),
            (#""bindings": {"Users": {"A": 1}}"#, false),
            (#""bindings": {"Users": {"a": 1, "by": 1}}"#, false),
            (#""bindings": {"Users": {"a": 1, "by": "a key"}}"#, false),
            (#""bindings": {"Users": {"a": 1, "by": ""}}"#, false),
            (#""modules": {"a": {"leastVersion": "1.0.0-rc.1+5"}}"#, true),
            (#""modules": {"a": {"leastVersion": ""}}"#, false),
            (#""modules": {"a": {"leastVersion": "v 1"}}"#, false),
            (#""modules": {"a": {"leastVersion": 1}}"#, false),
            (#""revokedKeys": "keys.krl""#, true), (#""revokedKeys": """#, false),
            (#""signatures": "required""#, true), (#""signatures": "no""#, false),
            (#""signers": {"team-a": ["users-*", "a", "*"], "b": []}"#, true),
            (#""signers": {"a": "b"}"#, false), (#""signers": {"": ["b"]}"#, false),
            (#""signers": {"a": ["B"]}"#, false), (#""signers": {"a": ["b?"]}"#, false),
            (#""signers": {"a": [""]}"#, false), (#""signers": ["a"]"#, false),
            (#""lunch": "a""#, false),
        ])
    func agrees(member: String, isValid: Bool) throws {
        let text = #"{"manifest": 1"# + (member.isEmpty ? "" : ", ") + member + "}"
        #expect(((try? EavesManifestTests.manifest(text)) != nil) == isValid)
        let path = Repository.path("Documentation/manifest.schema.json")
        let violations = try JSONSchema(Files.read(path))
            .violations(of: JSONNode.parse(Array(text.utf8)))
        #expect(violations.isEmpty == isValid, "\(violations)")
    }

    @Test("a directory that is spelt in two ways is searched once")
    func spelling() throws {
        let text = #"{"manifest":1,"directories":["a","./a/","b/../a","b"]}"#
        #expect(try EavesManifestTests.manifest(text).directories == ["a", "b"])
    }

    @Test(
        "each schema names the draft that it follows", arguments: ["manifest", "module", "output"])
    func draft(name: String) throws {
        #expect(
            try schema(name)["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    }
}
