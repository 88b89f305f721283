// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem
import EavesTestSupport
import Foundation
import Testing

/// Compares what the command prints as JSON with `Documentation/output.schema.json`.
enum OutputSchema {
    /// Parses an output, which has to have all members that the schema says, and no others.
    ///
    /// - Parameter definition: The name of the output in the schema, such as `list`.
    @discardableResult
    static func read(
        _ output: String, as definition: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONNode {
        let text = try Files.read(Repository.file("Documentation/output.schema.json").path)
        let schema = try JSONSchema(text, from: "#/$defs/\(definition)", isClosed: true)
        let value = try JSONNode.parse(Array(output.utf8))
        #expect(schema.violations(of: value) == [], "\(output)", sourceLocation: sourceLocation)
        return value
    }
}

extension Workspace {
    /// The text of `eaves generations --json`.
    func generations() throws -> JSONNode {
        let outcome = try eaves("generations", "--json")
        #expect(outcome.code == 0, "\(outcome)")
        return try OutputSchema.read(outcome.output, as: "generationsOfHosts")
    }
}
