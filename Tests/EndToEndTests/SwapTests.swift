// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("eaves swap", .onOwnThreads)
struct SwapTests {
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
