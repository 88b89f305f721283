// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

// 1.0 is the first version. Later ones find its sources here.
@Suite("Modules built against an earlier interface", .onOwnThreads)
struct OlderInterfaceTests {
    @Test("run unchanged in today's host", arguments: ["1.0"])
    func runs(version: String) throws {
        let interface = try OlderInterface(version)
        let workspace = try Workspace(modules: [])
        for name in ["Common", "Analytics", "Home", "Login", "Users", "UsersMemory"] {
            try interface.build(Repository.sample("Plugins/\(name)"), into: workspace.plugins)
        }
        let inspected = try workspace.eaves("inspect", "login")
        #expect(inspected.output.contains("interface: \(version), common 1.0\n"))
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let login = try workspace.eaves("launch", "login", "--name", "Bob")
        #expect(login.output == "Welcome home, Bob!\n")
        #expect(login.code == 0)
    }

    @Test("are told from today's where both are there")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users-memory"])
        let interface = try OlderInterface("1.0")
        for name in ["Common", "Users"] {
            try interface.build(Repository.sample("Plugins/\(name)"), into: workspace.plugins)
        }
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }
}
