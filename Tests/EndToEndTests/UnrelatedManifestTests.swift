// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Many programs have a `manifest.json`, such as extensions of browsers.
@Suite("a manifest.json of another program further up", .onOwnThreads)
struct UnrelatedManifestTests {
    @Test("does not stop commands that need no manifest")
    func goesOn() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "manifest_version": 3, "name": "Tabs" }"#, to: "manifest.json")
        let far = folder.url.appendingPathComponent("far")
        try FileManager.default.createDirectory(at: far, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Repository.sample("Plugins/UsersMemory"),
            to: far.appendingPathComponent("UsersMemory"))
        try FileManager.default.copyItem(
            at: Repository.sample("Plugins/Common"), to: far.appendingPathComponent("Common"))
        let eaves = Eaves(folder: far, owner: folder)
        let warning = "warning: going on without the manifest: "
        let built = try eaves("build", "./UsersMemory")
        #expect(built.code == 0)
        #expect(built.errors.contains("built users-memory in "))
        let verified = try eaves("verify", "./users-memory.so")
        #expect(verified.code == 0)
        #expect(verified.errors.hasPrefix(warning))
        #expect(try eaves("inspect", "./users-memory.so").code == 0)
        // Those that need one say what is wrong with it.
        #expect(try eaves("build", "users-memory").code == 65)
        #expect(try eaves("verify").code == 65)
        #expect(
            try eaves("verify", "./users-memory.so", "--manifest", "../manifest.json").code == 65)
        #expect(!folder.has(".eaves"))
    }
}

@Suite("a module that is off", .onOwnThreads)
struct ModuleThatIsOffTests {
    @Test(
        "is verified without its code, unless it is named", arguments: [[], ["--only", "loads"]])
    func verify(only: [String]) throws {
        let workspace = try Workspace(modules: ["home"])
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.misbehave(["register": "throw"])
        #expect(try workspace.eaves("disable", "misbehaves").code == 0)
        let all = try workspace.eaves(["verify"] + only)
        #expect(all.code == 0, "\(all)")
        let json = try workspace.eaves(["verify", "--json"] + only)
        #expect(json.output.contains("\"message\": \"the module is disabled\""))
        let named = try workspace.eaves("verify", "misbehaves")
        #expect(named.code == 65)
        #expect(named.lines.contains("  failed   registers"))
    }
}
