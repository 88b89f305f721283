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
