// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves validate", .onOwnThreads)
struct ValidateTests {
    /// The problems that are printed, each with its kind and its message, and the exit code.
    private func problems(
        _ workspace: Workspace, _ options: String...
    ) throws -> (kinds: [String], messages: [String], code: Int32) {
        let outcome = try workspace.eaves(["validate", "--json"] + options)
        let report = try OutputSchema.read(outcome.output, as: "validate")
        let problems = try #require(report["problems"]?.elements)
        return (
            problems.compactMap { $0["kind"]?.string },
            problems.compactMap { $0["message"]?.string }, outcome.code
        )
    }

    @Test("finds nothing wrong with the shipped modules, and runs none of their code")
    func shipped() throws {
        let workspace = try Workspace()
        // It would not register.
        try workspace.drop(try SwiftFixtures.module("throws-while-registering"))
        let outcome = try workspace.eaves("validate")
        #expect(outcome.output == "no problems\n")
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
        let found = try problems(workspace)
        #expect(found.kinds.isEmpty)
        #expect(found.code == 0)
    }

    @Test("reports all that features miss at once, in the words of a launch")
    func missing() throws {
        let workspace = try Workspace(modules: ["login", "users"])
        try workspace.manifest(#"{"manifest": 1, "launch": "lgoin"}"#)
        try workspace.eaves("validate").expectFailure(
            66,
            """
            error: no module offers a feature 'lgoin', did you mean 'login'?
            fix: see all features with 'eaves list'
            error: no module provides EventHandler (needed by login)
            fix: add a module that provides it, and see 'eaves list'
            error: no module provides UserService (needed by login)
            fix: add a module that provides it, and see 'eaves list'
            error: no module provides UserService (needed by users)
            fix: add a module that provides it, and see 'eaves list'
            """)
        #expect(try problems(workspace).kinds == Array(repeating: "missing", count: 4))
    }

    @Test("finds ambiguous and wrong bindings, even of services that no module requires")
    func bindings() throws {
        let workspace = try Workspace(modules: ["users-memory", "users-v2"])
        try workspace.manifest(#"{"manifest": 1}"#)
        try workspace.eaves("validate").expectFailure(
            78,
            """
            error: UserService is provided by users-memory and users-v2, and the manifest binds it \
            to none
            fix: choose one: 'eaves swap UserService users-memory' or \
            'eaves swap UserService users-v2'
            """)
        #expect(try workspace.eaves("swap", "UserService", "users-v2").code == 0)
        #expect(try workspace.eaves("validate").code == 0)
        #expect(try workspace.eaves("disable", "users-v2").code == 0)
        let found = try problems(workspace)
        #expect(found.kinds == ["binding"])
        #expect(found.code == 69)
    }

    @Test("finds modules that are switched on and cannot be used")
    func unusable() throws {
        let workspace = try Workspace()
        try workspace.drop(Data("nothing".utf8), as: "bad.so")
        let found = try problems(workspace)
        #expect(found.kinds == ["module"])
        #expect(found.code == 65)
    }

    @Test("finds modules that require each other in a circle")
    func circle() throws {
        let workspace = try Workspace()
        for id in ["half-users", "half-events"] {
            try workspace.drop(try SwiftFixtures.module(id))
        }
        try workspace.bind(["UserService": "half-users", "EventHandler": "half-events"])
        let found = try problems(workspace)
        #expect(
            found.messages == [
                "modules require each other in a circle: 'half-events' requires UserService of "
                    + "'half-users', 'half-users' requires EventHandler of 'half-events'"
            ])
        #expect(found.kinds.first == "cycle")
        #expect(found.code == 78)
    }

    @Test("--load also finds modules that do not load, and needs of registrations")
    func loading() throws {
        let workspace = try Workspace()
        for id in ["captures-anew", "throws-while-registering"] {
            try workspace.drop(try SwiftFixtures.module(id))
        }
        try workspace.bind(["UserService": "captures-anew", "EventHandler": "captures-anew"])
        #expect(try problems(workspace).kinds.isEmpty)
        let found = try problems(workspace, "--load")
        #expect(found.kinds == ["load", "captive", "missing"])
        #expect(
            Array(found.messages.dropFirst()) == [
                "UserService (captures-anew, CapturesAnew/CapturesAnewModule.swift:19) is shared, and "
                    + "keeps EventHandler (captures-anew, CapturesAnew/CapturesAnewModule.swift:18), "
                    + "which is graph",
                "UserService (captures-anew, CapturesAnew/CapturesAnewModule.swift:19) needs "
                    + "LoginFactory named 'x', which has no provider\n"
                    + "  registered: LoginFactory (login, Login/LoginModule.swift:10)",
            ])
        #expect(found.code == 65)
    }
}
