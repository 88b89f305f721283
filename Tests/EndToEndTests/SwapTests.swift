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
}
