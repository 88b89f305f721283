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
        let digest = try digest(of: "users", in: workspace)
        _ = try workspace.eaves("pin", "users")
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
