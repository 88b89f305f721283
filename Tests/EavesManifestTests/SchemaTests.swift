// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesManifest
import EavesSystem
import Testing

@Suite("JSON Schemas")
struct SchemaTests {
    private func schema(_ name: String) throws -> JSONNode {
        let folder = Path.absolute("../../../Documentation", from: #filePath)
        return try JSONNode.parse(Files.read(Path.join(folder, "\(name).schema.json")))
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
        for object in [schema, module] {
            #expect(object?["additionalProperties"]?.bool == false)
        }
        let isolation = module?["properties"]?["isolation"]?["enum"]?.elements
        #expect(isolation?.map(\.string) == Isolation.allCases.map(\.rawValue))
        let signatures = schema["properties"]?["signatures"]?["enum"]?.elements
        #expect(signatures?.map(\.string) == SignatureRule.allCases.map(\.rawValue))
    }

    @Test("the schema of the manifest has the defaults of the parser")
    func defaults() throws {
        let written = try schema("manifest")["properties"]?["directories"]?["default"]?.elements
        let taken = try EavesManifestTests.manifest(#"{"manifest":1}"#).directories
        #expect(written?.map(\.string) == taken)
    }

    @Test("each schema names the draft that it follows", arguments: ["manifest", "module"])
    func draft(name: String) throws {
        #expect(
            try schema(name)["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    }
}
