// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

// 1.0 is the first version. Later ones find its sources here.
@Suite("Modules built against an earlier interface", .onOwnThreads)
struct OlderInterfaceTests {
    private static let version = "1.0"
    /// Modules that are built against it.
    private static let built = Result {
        let folder = try TemporaryFolder()
        let interface = try OlderInterface(version)
        for name in ["Common", "Analytics", "Home", "Login", "Users", "UsersMemory"] {
            try interface.build(Repository.sample("Plugins/\(name)"), into: folder.url)
        }
        return folder
    }

    private func drop(_ ids: [String], into workspace: Workspace) throws {
        let folder = try Self.built.get().url
        for id in ids { try workspace.drop(folder.appendingPathComponent(id + ".so")) }
    }

    @Test("run unchanged in today's host")
    func runs() throws {
        let workspace = try Workspace(modules: [])
        let ids = ["common", "analytics", "home", "login", "users", "users-memory"]
        try drop(ids, into: workspace)
        let inspected = try workspace.eaves("inspect", "login")
        #expect(inspected.output.contains("interface: \(Self.version), common 1.0\n"))
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let login = try workspace.eaves("launch", "login", "--name", "Bob")
        #expect(login.output == "Welcome home, Bob!\n")
        #expect(login.code == 0)
    }

    @Test("are told from today's where both are there")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users-memory"])
        try drop(["common", "users"], into: workspace)
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }
}
