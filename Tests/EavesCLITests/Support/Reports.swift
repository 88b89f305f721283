// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension TestCommand.Outcome {
    /// The JSON object that was printed.
    func object() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
        let object = try #require(json as? [String: Any])
        #expect(object["schema"] as? Int == 1)
        #expect(output.hasSuffix("}\n"))
        return object
    }
}

extension Workspace {
    /// A ready module that provides what the manifest binds, one that is switched off, and one that is not built.
    static func ofWeather() throws -> Workspace {
        let workspace = try Workspace(
            manifest: """
                {
                  "manifest": 1,
                  "modules": { "users": { "enabled": false } },
                  "bindings": { "Weather": "sunny" }
                }
                """)
        try workspace.addFile("Plugins/sunny.so", "sunny", provides: "Weather")
        try workspace.addFile("Plugins/users.so", "users")
        try workspace.addSources("Home", "home")
        return workspace
    }
}
