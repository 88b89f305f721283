// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("Ways for modules to ask each other", .onOwnThreads)
struct AskingTests {
    private func workspace(_ fixtures: String...) throws -> Workspace {
        let workspace = try Workspace()
        for id in fixtures { try workspace.drop(try SwiftFixtures.module(id)) }
        return workspace
    }

    @Test("a property of a module's object is injected, from the module that is bound")
    func injected() throws {
        let workspace = try workspace("asks-all")
        try workspace.bind(["UserService": "users-v2"])
        let outcome = try workspace.eaves("launch", "-v", "inject")
        #expect(outcome.output == "Charlie\n")
        #expect(outcome.errors.contains("loaded 3: users-v2"))
        #expect(!outcome.errors.contains("loaded 4"))
    }

    @Test("a provider and a lazy service load a module when they are used, and not before")
    func later() throws {
        let workspace = try workspace("asks-all")
        try workspace.bind(["UserService": "users-memory"])
        let outcome = try workspace.eaves("launch", "-v", "ask-later")
        #expect(outcome.output == "nothing is loaded yet\nAlice Bob\n")
        #expect(outcome.errors.contains("loaded 3: users-memory"))
        #expect(outcome.errors.contains("loaded 4: analytics"))
        #expect(outcome.code == 0)
    }

    @Test("two modules whose objects need each other are both made, and complete")
    func circle() throws {
        let workspace = try workspace("half-users", "half-events")
        try workspace.bind(["UserService": "half-users", "EventHandler": "half-events"])
        let outcome = try workspace.eaves("launch", "whole")
        #expect(
            outcome.output == """
                the users have events: true
                the events have users: ["Half"]

                """)
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
    }
}
