// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// A second build of the sample's `users-memory`, with other users.
enum OtherUsers {
    /// The file. It was built once in a run.
    static let file = Result {
        let workspace = try Workspace(sources: true)
        let source = workspace.plugins.appendingPathComponent("UsersMemory/UsersMemoryModule.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "Alice", with: "Grace").utf8).write(to: source)
        let outcome = try workspace.eaves("build", "users-memory")
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return (workspace, workspace.plugins.appendingPathComponent("users-memory.so"))
    }
}
