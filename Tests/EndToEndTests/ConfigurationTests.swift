// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// These tests run with a debug host and, in `.ci/run`, with an optimised one: together all four.
@Suite("Debug and release")
struct ConfigurationTests {
    @Test("a module of either kind runs in this host", arguments: [false, true])
    func either(isOptimised: Bool) throws {
        let built = isOptimised ? Repository.optimisedModules : Repository.modules
        let folder = try built.get()
        let outcome = try Eaves(folder: folder.url)("launch", "--no-build", "users")
        #expect(outcome.output == "1 Alice\n2 Bob\n")
        #expect(outcome.code == 0)
    }

    @Test("modules of both kinds run beside each other")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users", "analytics"])
        let optimised = try Repository.optimisedModules.get().url
        for id in ["users-memory", "login", "home"] {
            try FileManager.default.copyItem(
                at: optimised.appendingPathComponent("Plugins/\(id).so"),
                to: workspace.plugins.appendingPathComponent("\(id).so"))
        }
        let outcome = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(outcome.output == "Welcome home, Alice!\n")
    }

    @Test("'eaves build' builds again when the configuration changes, and only then")
    func rebuild() throws {
        let workspace = try Workspace(sources: true)
        let first = try workspace.eaves("build", "users")
        #expect(first.errors.hasPrefix("built users in "))
        #expect(try workspace.eaves("build", "users").errors == "")
        #expect(try workspace.eaves("build", "--release", "users").errors != "")
        #expect(try workspace.eaves("build", "--release", "users").errors == "")
        // A launch does not mind how it was built.
        #expect(try workspace.eaves("build", "--release", "users-memory").code == 0)
        #expect(try workspace.eaves("launch", "users").errors == "")
    }
}
