// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("services that have to be awaited, in real modules", .onOwnThreads)
struct AwaitingTests {
    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: ["users", "analytics", "users-memory"])
        try workspace.drop(try SwiftFixtures.module("awaits-services"))
        try workspace.bind(["UserService": "awaits-services", "EventHandler": "awaits-services"])
        return workspace
    }

    @Test("a feature, a service and a screen are made by awaiting, and on the main actor")
    func launch() throws {
        let outcome = try workspace().eaves("launch", "visit")
        #expect(outcome.errors == "")
        #expect(outcome.output == "window 2 of Rita\n")
        #expect(outcome.code == 0)
    }

    @Test("asking without awaiting is an error that says how to ask, with module and line")
    func hurry() throws {
        for feature in ["hurry", "users"] {
            let outcome = try workspace().eaves("launch", feature)
            #expect(
                outcome.errors.hasPrefix(
                    """
                    error: UserService has to be awaited: ask for it with 'resolveAsync'
                      needed by: feature '\(feature)' → UserService
                      registered: UserService (awaits-services, AwaitsServices
                    """))
            #expect(outcome.code == 70)
            outcome.expectNoCrash()
        }
    }
}
