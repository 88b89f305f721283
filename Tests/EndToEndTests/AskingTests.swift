// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("Ways for modules to ask each other", .onOwnThreads)
struct AskingTests {
    /// A workspace whose users come from a module.
    private func workspace(users: String) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("asks-all"))
        try workspace.bind(["UserService": users])
        return workspace
    }

    @Test("a property of a module's object is injected, from the module that is bound")
    func injected() throws {
        let outcome = try workspace(users: "users-v2").eaves("launch", "-v", "inject")
        #expect(outcome.output == "Charlie\n")
        #expect(outcome.errors.contains("loaded 3: users-v2"))
        #expect(!outcome.errors.contains("loaded 4"))
    }

    @Test("a provider and a lazy service load a module when they are used, and not before")
    func later() throws {
        let outcome = try workspace(users: "users-memory").eaves("launch", "-v", "ask-later")
        #expect(outcome.output == "nothing is loaded yet\nAlice Bob\n")
        #expect(outcome.errors.contains("loaded 3: users-memory"))
        #expect(outcome.errors.contains("loaded 4: analytics"))
        #expect(outcome.code == 0)
    }
}
