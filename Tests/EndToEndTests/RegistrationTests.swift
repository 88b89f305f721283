// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("a module that registers badly", .onOwnThreads)
struct RegistrationTests {
    private static let agree =
        "fix: make module.json and what the module registers agree, and rebuild it"

    /// Fixtures that provide `UserService`, and what is said of each.
    static let faults = [
        (
            "throws-while-registering",
            "refused to register: the database is locked",
            "fix: correct what the module reports, or switch the module off with "
                + "'eaves disable throws-while-registering'"
        ),
        (
            "registers-undeclared", "registers what it does not declare: EventHandler", agree
        ),
        (
            "registers-less",
            "declares what it does not register: EventHandler, feature 'less'", agree
        ),
        (
            "registers-other",
            "registers what it does not declare: EventHandler, UserService named 'backup'; "
                + "declares what it does not register: UserService", agree
        ),
        (
            "registers-twice",
            "registers UserService twice: at RegistersTwice/RegistersTwiceModule.swift:14 and at "
                + "RegistersTwice/RegistersTwiceModule.swift:15",
            "fix: register each thing once, or under different names"
        ),
    ]

    @Test("is refused whole, and another provider can be bound", arguments: faults.prefix(2))
    func refused(id: String, message: String, fix: String) throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module(id))
        try workspace.bind(["UserService": id, "EventHandler": "analytics"])
        #expect(try workspace.list().module(id)?.state == "ready")
        try workspace.eaves("launch", "users").expectFailure(
            65, "error: \(id): \(message) (Plugins/\(id).so)\n\(fix)")
        #expect(try workspace.eaves("swap", "UserService", "users-memory").code == 0)
        try workspace.expectOthersWork()
    }

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

    @Test("with a protocol of its own, which others cannot ask for, is told so")
    func foreign() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("registers-foreign"))
        try workspace.bind(["UserService": "registers-foreign"])
        let outcome = try workspace.eaves("launch", "users")
        #expect(
            outcome.errors.hasSuffix(
                """
                error: registers-foreign: registers RegistersForeign.UserService: expected a \
                protocol of EavesInterface or CommonInterface, which others can ask for \
                (Plugins/registers-foreign.so)
                fix: register it as a protocol of the interface, or of one that module.json names in \
                'interfaces'

                """))
        #expect(outcome.code == 65)
        outcome.expectNoCrash()
        try workspace.bind(["UserService": "users-memory"])
        try workspace.expectOthersWork()
    }

    @Test("two of them: each is told when it is asked for, and neither hides the other")
    func two() throws {
        let workspace = try Workspace()
        for id in ["throws-while-registering", "registers-less"] {
            try workspace.drop(try SwiftFixtures.module(id))
        }
        try workspace.bind(["UserService": "users-memory", "EventHandler": "registers-less"])
        let login = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(login.code == 65)
        #expect(login.errors.hasPrefix("error: registers-less: declares what it does not register"))
        let swap = try workspace.eaves("swap", "EventHandler", "analytics")
        #expect(swap.code == 0)
        let again = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(again.output == "Welcome home, Alice!\n")
        try workspace.expectOthersWork()
    }
}
