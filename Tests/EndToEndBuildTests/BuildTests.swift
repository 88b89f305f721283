// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves build", .onOwnThreads)
struct BuildTests {
    @Test("builds a folder anywhere, next to it or where -o says")
    func elsewhere() throws {
        let workspace = try Workspace(modules: [])
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: Repository.sample("Plugins/UsersMemory"),
            to: folder.url.appendingPathComponent("Far")
        )
        let path = folder.url.appendingPathComponent("Far").path
        #expect(try workspace.eaves("build", path).code == 0)
        #expect(folder.has("users-memory.so"))
        #expect(try workspace.eaves("build", path, "-o", "Plugins").code == 0)
        #expect(try workspace.list().module("users-memory")?.state == "ready")
        #expect(try workspace.eaves("build", path, "-o", "some.so").code == 0)
        #expect(workspace.folder.has("some.so"))
    }

    @Test("shows a compiler error as the compiler prints it; the others are built and run")
    func compilerError() throws {
        let workspace = try Workspace(sources: true)
        try workspace.folder.write(
            """
            import EavesInterface

            struct HomeScreen: Feature {
                let user: Int = "nobody"
            }

            """, to: "Plugins/Home/HomeScreen.swift")
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

    @Test("does not replace a dropped-in file")
    func dropIn() throws {
        let workspace = try Workspace(sources: true)
        try workspace.eaves("launch", "users")
        let foreign = try Repository.modules.appendingPathComponent("users-v2.so")
        let target = workspace.plugins.appendingPathComponent("users-v2.so")
        try FileManager.default.copyItem(at: foreign, to: target)
        try workspace.eaves("swap", "UserService", "users-v2")
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.output == "2 Charlie\n")
        #expect(outcome.errors.contains("it was not built here from Plugins/UsersV2"))
        #expect(try Data(contentsOf: target) == Data(contentsOf: foreign))
    }
}

/// The gate runs these tests with a debug host and with an optimised one, so that all four pairs of host
/// and module are tested.
@Suite("Debug and release", .onOwnThreads)
struct ConfigurationTests {
    @Test("a module of either kind runs in this host", arguments: [false, true])
    func either(isOptimised: Bool) throws {
        let workspace = try Workspace(modules: [])
        let built = try isOptimised ? Repository.optimisedModules : Repository.modules
        for id in ["common", "users", "users-memory"] {
            try workspace.drop(built.appendingPathComponent(id + ".so"))
        }
        let outcome = try workspace.eaves("launch", "--no-build", "users")
        #expect(outcome.output == "1 Alice\n2 Bob\n")
        #expect(outcome.code == 0)
    }

    @Test("modules of both kinds run next to each other")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users", "analytics"])
        let optimised = try Repository.optimisedModules
        for id in ["users-memory", "login", "home"] {
            try FileManager.default.copyItem(
                at: optimised.appendingPathComponent("\(id).so"),
                to: workspace.plugins.appendingPathComponent("\(id).so"))
        }
        let outcome = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(outcome.output == "Welcome home, Alice!\n")
    }

    @Test("'eaves build' builds again when the configuration changes, and only then")
    func rebuild() throws {
        let workspace = try Workspace(sources: true)
        let first = try workspace.eaves("build", "users")
        #expect(first.errors.hasPrefix("built common in "))
        #expect(first.errors.contains("\nbuilt users in "))
        #expect(try workspace.eaves("build", "users").errors == "")
        #expect(try workspace.eaves("build", "--release", "users").errors != "")
        #expect(try workspace.eaves("build", "--release", "users").errors == "")
        // A launch takes modules of either configuration.
        #expect(try workspace.eaves("build", "--release", "users-memory").code == 0)
        #expect(try workspace.eaves("launch", "users").errors == "")
    }
}
