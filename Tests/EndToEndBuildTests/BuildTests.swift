// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves build", .onOwnThreads)
struct BuildTests {
    @Test("shows a compiler error as the compiler prints it; the others are built and run")
    func compilerError() throws {
        let workspace = try Workspace.built()
        try FileManager.default.removeItem(at: workspace.plugins.appendingPathComponent("home.so"))
        try workspace.folder.write("func more() {}\n", to: "Plugins/Users/More.swift")
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
}

/// The gate runs these tests with a debug host and with an optimised one, so that all four pairs of host
/// and module are tested.
@Suite("Debug and release", .onOwnThreads)
struct ConfigurationTests {
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
}
