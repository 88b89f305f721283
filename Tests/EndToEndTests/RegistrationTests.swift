// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("a module that registers badly", .onOwnThreads)
struct RegistrationTests {
    /// Fixtures that provide `UserService`, and what is said of each.
    static let faults = [
        (
            "throws-while-registering",
            "refused to register: the database is locked",
            "fix: correct what the module reports, or switch the module off with "
                + "'eaves disable throws-while-registering'"
        ),
        (
            "registers-undeclared", "registers what it does not declare: EventHandler",
            "fix: make module.json and what the module registers agree, and rebuild it"
        ),
    ]

    @Test("leaves nothing in the registry: who asks again is told the same", arguments: faults)
    func nothingLeft(id: String, message: String, fix: String) throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module(id))
        try workspace.drop(try SwiftFixtures.module("asks-twice"))
        try workspace.bind(["UserService": id, "EventHandler": "analytics"])
        let outcome = try workspace.eaves("launch", "ask-twice")
        let answer = """
            cannot load the provider of UserService: \(id): \(message) (Plugins/\(id).so)
            \(fix)

            """
        #expect(outcome.output == answer + answer)
        #expect(outcome.code == 0)
        outcome.expectNoCrash()
    }
}
