// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("pinning modules to their bytes", .onOwnThreads)
struct PinTests {
    @Test("shows the pin, and whether the digest matches")
    func shown() throws {
        let workspace = try Workspace()
        #expect(!(try workspace.eaves("list").output.contains("PINNED")))
        let digest = try digest(of: "users", in: workspace)
        _ = try workspace.eaves("pin", "users")
        let table = try workspace.eaves("list").lines.map { $0.split(separator: " ") }
        #expect(table.contains { $0.starts(with: ["MODULE", "VERSION", "STATE", "PINNED"]) })
        #expect(table.contains { $0.starts(with: ["users", "1.0.0", "ready", "yes"]) })
        #expect(table.contains { $0.starts(with: ["home", "1.0.0", "ready", "-"]) })
        let json = try workspace.eaves("list", "--json").output
        #expect(json.components(separatedBy: "\"pinned\": true").count == 2)
        #expect(json.components(separatedBy: "\"pinned\": false").count == 7)
        let inspected = try workspace.eaves("inspect", "users")
        #expect(inspected.lines.contains("pinned:    to SHA-256 \(digest)"))
        #expect(inspected.lines.contains("state:     ready"))
        try workspace.drop(try Workspace.bytes(of: "users") + [0], as: "users.so")
        let changed = try workspace.eaves("inspect", "--json", "users")
        #expect(changed.code == 77)
        #expect(changed.output.contains("\"state\": \"untrusted\""))
        #expect(changed.output.contains("\"sha256\": \"\(digest)\""))
    }

    private func digest(of id: String, in workspace: Workspace) throws -> String {
        let outcome = try Eaves.shell("sha256sum Plugins/\(id).so", in: workspace.url)
        return String(outcome.output.prefix { $0 != " " })
    }
}
