// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("eaves build")
struct BuildTests {
    @Test("builds a folder anywhere, beside it or where -o says")
    func elsewhere() throws {
        let workspace = try Workspace(modules: [])
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: Repository.file("Plugins/UsersMemory"), to: folder.url.appendingPathComponent("Far")
        )
        let path = folder.url.appendingPathComponent("Far").path
        #expect(try workspace.eaves("build", path).code == 0)
        #expect(folder.exists("users-memory.so"))
        #expect(try workspace.eaves("build", path, "-o", "Plugins").code == 0)
        #expect(try workspace.list().module("users-memory")?.state == "ready")
        #expect(try workspace.eaves("build", path, "-o", "some.so").code == 0)
        #expect(workspace.folder.exists("some.so"))
    }

    @Test("shows a compiler error as the compiler prints it; the others are built and run")
    func compilerError() throws {
        let workspace = try Workspace(sources: true)
        try workspace.folder.write(
            "Plugins/Home/HomeScreen.swift",
            """
            import EavesInterface

            struct HomeScreen: Feature {
                let user: Int = "nobody"
            }

            """)
        let outcome = try workspace.eaves("build")
        #expect(outcome.code == 65)
        #expect(outcome.errors.contains("HomeScreen.swift:4:21: error: cannot convert value"))
        #expect(outcome.errors.contains("built users in "))
        #expect(try workspace.list().module("home")?.state == "missing")
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let login = try workspace.eaves("launch", "login", "--name", "Bob")
        #expect(login.code == 65)
        #expect(login.errors.contains("HomeScreen.swift:4:21: error: cannot convert value"))
    }

    @Test("never replaces a dropped-in file behind somebody's back")
    func dropIn() throws {
        let workspace = try Workspace(sources: true)
        try workspace.eaves("launch", "users")
        let foreign = try Repository.modules.get().url.appendingPathComponent("Plugins/users-v2.so")
        let target = workspace.plugins.appendingPathComponent("users-v2.so")
        try FileManager.default.copyItem(at: foreign, to: target)
        try workspace.eaves("swap", "UserService", "users-v2")
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.output == "2 Charlie\n")
        #expect(outcome.errors.contains("it was not built here from Plugins/UsersV2"))
        #expect(try Data(contentsOf: target) == Data(contentsOf: foreign))
    }
}
