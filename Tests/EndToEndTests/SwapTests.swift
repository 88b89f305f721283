// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves swap, rollback, enable, disable, add, remove", .onOwnThreads)
struct SwapTests {
    @Test("the next launch uses the new module, and after a rollback the old one")
    func swap() throws {
        let workspace = try Workspace()
        let before = try workspace.folder.read("manifest.json")
        let swapped = try workspace.eaves("swap", "UserService", "users-v2")
        #expect(swapped.errors == "UserService: users-memory → users-v2\n")
        #expect(try workspace.eaves("launch", "users").output == "2 Charlie\n")
        #expect(
            try workspace.folder.read("manifest.json")
                == before.replacingOccurrences(of: "users-memory", with: "users-v2"))
        #expect(try workspace.eaves("rollback").code == 0)
        #expect(try workspace.folder.read("manifest.json") == before)
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let nothing = try workspace.eaves("rollback")
        #expect(nothing.code == 66)
        #expect(nothing.errors.hasPrefix("error: there is no swap or removal to undo\nfix: "))
    }

    @Test(
        "changes the binding that decides, however the service is named",
        arguments: [
            #""CommonInterface.UserService": "users-v2""#, #""UserService": "users-v2""#,
            #""CommonInterface.UserService": "users-v2", "UserService": "users-memory""#,
        ], ["UserService", "CommonInterface.UserService"])
    func spelled(bindings: String, name: String) throws {
        let workspace = try Workspace()
        let text = #"{"manifest": 1, "bindings": {\#(bindings)}}"#
        try workspace.manifest(text.replacing("users-v2", with: "users-memory"))
        let outcome = try workspace.eaves("swap", name, "users-v2")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try workspace.folder.read("manifest.json") == text)
    }

    @Test("a share of the calls, and giving up state, do not go together")
    func canaryWithoutState() throws {
        let workspace = try Workspace()
        let outcome = try workspace.eaves(
            "swap", "--canary", "10%", "--discard-state", "UserService", "users-v2")
        #expect(outcome.code == 64)
        #expect(
            outcome.errors.hasPrefix(
                "error: options '--canary' and '--discard-state' do not go together"))
    }

    @Test("giving up state is said, also of the module that has the service already")
    func givingUpState() throws {
        let workspace = try Workspace()
        let loss = "a running host may lose state that users-v2 cannot take on"
        for _ in 0..<2 {
            let outcome = try workspace.eaves("swap", "--discard-state", "UserService", "users-v2")
            #expect(outcome.code == 0)
            #expect(outcome.errors.contains(loss), "\(outcome)")
            #expect(try workspace.folder.read("manifest.json").contains("\"discardState\": true"))
        }
        let without = try workspace.eaves("swap", "UserService", "users-v2")
        #expect(without.errors == "UserService is already bound to users-v2\n")
        #expect(try !workspace.folder.read("manifest.json").contains("discardState"))
    }

    @Test("a rollback changes nothing if the service was bound in another way since")
    func changedSince() throws {
        let workspace = try Workspace()
        try workspace.eaves("swap", "UserService", "users-v2")
        try workspace.manifest(#"{"manifest": 1, "bindings": {"UserService": "home"}}"#)
        let outcome = try workspace.eaves("rollback")
        #expect(outcome.code == 78)
        #expect(outcome.errors.contains("expected it bound to 'users-v2'"))
    }

    @Test("a disabled module provides nothing until it is enabled")
    func disable() throws {
        let workspace = try Workspace()
        #expect(try workspace.eaves("disable", "users-memory").errors == "disabled users-memory\n")
        #expect(try workspace.list().module("users-memory")?.state == "disabled")
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.code == 69)
        #expect(outcome.errors.contains("fix: 'eaves enable users-memory'"))
        #expect(try workspace.eaves("enable", "users-memory").code == 0)
        #expect(try workspace.eaves("launch", "users").code == 0)
    }

    @Test("adds a module from elsewhere, and removes it")
    func add() throws {
        let workspace = try Workspace(modules: ["users"])
        let built = try Repository.modules
        try FileManager.default.createDirectory(
            at: workspace.url.appendingPathComponent("vendor"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: built.appendingPathComponent("users-memory.so"),
            to: workspace.url.appendingPathComponent("vendor/memory.so"))
        #expect(
            try workspace.eaves("add", "vendor/memory.so").errors == "added users-memory 1.0.0\n")
        #expect(try workspace.list().module("users-memory")?.path == "vendor/memory.so")
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let removed = try workspace.eaves("remove", "users-memory")
        #expect(removed.errors.contains("UserService is bound to no module now"))
        #expect(try workspace.list().module("users-memory") == nil)
        let found = try workspace.eaves("remove", "users")
        #expect(found.code == 66)
        #expect(found.errors.contains("fix: delete Plugins/users.so"))
    }

    @Test("two modules that provide a service without a binding are an error that names both")
    func ambiguous() throws {
        let workspace = try Workspace()
        try workspace.manifest(#"{"manifest": 1}"#)
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.code == 78)
        #expect(
            outcome.errors == """
                error: UserService is provided by users-memory and users-v2, and the manifest binds \
                it to none (needed by users)
                fix: choose one: 'eaves swap UserService users-memory' or \
                'eaves swap UserService users-v2'

                """)
        #expect(try workspace.eaves("swap", "UserService", "users-v2").code == 0)
        #expect(try workspace.eaves("launch", "users").output == "2 Charlie\n")
        #expect(try workspace.eaves("rollback").errors == "UserService: users-v2 → no binding\n")
    }
}
