// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a bad file in Plugins", .onOwnThreads)
struct BadFileTests {
    @Test(
        "cut short is refused by whatever names it",
        arguments: [1, 3, 4, 63, 64, 500, 1000, 4095, 4096, 4097, 20_000, -1])
    func truncatedAndUsed(length: Int) throws {
        let workspace = try Workspace()
        let whole = try Workspace.bytes(of: "users-memory")
        let size = length < 0 ? whole.count + length : length
        try workspace.drop(whole.prefix(size), as: "users-memory.so")
        for words in [
            ["launch", "users"], ["inspect", "users-memory"],
            ["inspect", "Plugins/users-memory.so"],
            ["add", "Plugins/users-memory.so"], ["swap", "UserService", "users-memory"],
        ] {
            let outcome = try workspace.eaves(words)
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.errors.hasPrefix("error: users-memory: "), "\(outcome)")
            #expect(outcome.errors.contains("(Plugins/users-memory.so)\nfix: copy it again "))
            outcome.expectNoCrash()
        }
    }
}
