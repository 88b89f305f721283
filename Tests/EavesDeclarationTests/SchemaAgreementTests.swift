// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTestSupport
import Testing

@Suite("module.schema.json")
struct SchemaAgreementTests {
    private static let members: [(text: String, isValid: Bool)] = [
        ("", true),
        (#""$schema": "x""#, true), (#""$schema": """#, true), (#""$schema": 1"#, false),
        (#""$schema": null"#, false),
        (#""summary": "One line""#, true), (#""summary": "Two\nlines""#, false),
        (#""summary": 1"#, false),
        (#""entry": "Some.Type""#, true), (#""entry": "1""#, false),
        (#""provides": [{"service": "A"}, {"service": "A", "name": "b"}]"#, true),
        (#""provides": [{"service": "A"}, {"service": "A"}]"#, false),
        (#""provides": [{"service": "A", "name": ""}]"#, false),
        (#""provides": [{"name": "b"}]"#, false), (#""provides": ["A"]"#, false),
        (#""requires": ["A", "B.C"]"#, true), (#""requires": ["A", "A"]"#, false),
        (#""requires": ["A b"]"#, false), (#""requires": "A""#, false),
        (#""features": [{"name": "a"}, {"name": "b", "summary": "B"}]"#, true),
        (#""features": [{"name": "a"}, {"name": "a"}]"#, false),
        (#""features": [{"name": "a b"}]"#, false), (#""features": [{"summary": "a"}]"#, false),
        (#""feature": []"#, false),
    ]

    private func schema() throws -> JSONSchema {
        let path = Repository.path("Documentation/module.schema.json")
        return try JSONSchema(Files.read(path))
    }

    private func isRead(_ text: String) -> Bool {
        (try? SourceDeclaration(Array(text.utf8), path: "module.json")) != nil
    }

    @Test("judges a text as eaves build does", arguments: members)
    func agrees(member: String, isValid: Bool) throws {
        let text =
            #"{"id": "a", "version": "1", "layer": "core""# + (member.isEmpty ? "" : ", ") + member
            + "}"
        #expect(isRead(text) == isValid)
        let violations = try schema().violations(of: JSONNode.parse(Array(text.utf8)))
        #expect(violations.isEmpty == isValid, "\(violations)")
    }

    /// A schema can compare whole objects, and not one member of them. Manifest.md says so.
    @Test("cannot see that two features of different summaries have one name")
    func sameName() throws {
        let text = """
            {"id": "a", "version": "1", "layer": "feature",
             "features": [{"name": "a", "summary": "A"}, {"name": "a", "summary": "B"}]}
            """
        #expect(!isRead(text))
        #expect(try schema().violations(of: JSONNode.parse(Array(text.utf8))) == [])
    }
}
