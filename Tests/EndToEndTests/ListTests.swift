// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves list", .onOwnThreads)
struct ListTests {
    @Test("prints exactly the contract's object")
    func json() throws {
        let list = try Workspace(modules: ["login", "users-memory"]).list()
        let expected = ModuleList(
            schema: 1,
            features: [
                .init(
                    name: "login", summary: "Open the login screen", module: "login",
                    state: "ready")
            ],
            modules: [
                .init(
                    id: "common", version: "1.0.0", path: "Plugins/common.so", state: "ready",
                    problem: nil, provides: [], requires: [], pinned: false),
                .init(
                    id: "login", version: "1.0.0", path: "Plugins/login.so", state: "ready",
                    problem: nil, provides: ["LoginFactory"],
                    requires: ["EventHandler", "Routing", "UserService"], pinned: false),
                .init(
                    id: "users-memory", version: "1.0.0", path: "Plugins/users-memory.so",
                    state: "ready", problem: nil, provides: ["UserService"], requires: [],
                    pinned: false),
            ],
            bindings: ["UserService": "users-memory"])
        #expect(list.features == expected.features)
        #expect(list.modules.filter { $0.state == "ready" } == expected.modules)
        #expect(list.bindings == expected.bindings)
        #expect(list.schema == 1)
    }

    @Test("prints tables for people")
    func table() throws {
        let outcome = try Workspace().eaves("list")
        #expect(outcome.lines.first == "FEATURE  MODULE  STATE  SUMMARY")
        #expect(outcome.lines.contains("users    users   ready  Print all users"))
        #expect(outcome.lines.last == "UserService  users-memory")
        #expect(outcome.errors == "")
        #expect(outcome.lines.allSatisfy { !$0.hasSuffix(" ") })
    }

    @Test("shows a module that is not built yet as missing, and how to build it")
    func notBuilt() throws {
        let outcome = try Workspace(sources: true).eaves("list")
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("users-v2      2.0.0    missing"))
        #expect(outcome.errors.hasSuffix("\nfix: run 'eaves build'\n"))
        #expect(outcome.errors.split(separator: "\n").count == 2)
    }
}
