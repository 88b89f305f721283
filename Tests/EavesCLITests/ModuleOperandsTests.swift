// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest
import Testing

@testable import EavesCLI

@Suite("operands that name modules")
struct ModuleOperandsTests {
    @Test(
        "are files if they have a slash or end in .so, else ids",
        arguments: [
            ("users", false), ("users.so", true), ("./users", true), ("/a/users", true),
            ("users.so.sig", false), ("so", false), (".so", true),
        ])
    func kinds(word: String, isFile: Bool) {
        #expect(word.namesFile == isFile)
    }

    private func operands(_ workspace: Workspace, manifest: Bool = true) throws -> ModuleOperands {
        let options = ParsedOptions(values: ["manifest": [workspace("manifest.json")]])
        return ModuleOperands(in: manifest ? try options.manifest() : nil)
    }

    @Test("find a module by its id, and a file by its path")
    func both() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        try workspace.addFile("else/where.so", "far")
        let operands = try operands(workspace)
        #expect(try operands.module("home").path == "Plugins/home.so")
        #expect(try operands.module(workspace("else/where.so")).id == "far")
        let gone = try operands.module(workspace("gone.so"))
        #expect(gone.state == .missing)
        #expect(throws: CommandError.noFileOrModule("hom", known: ["home"])) {
            try operands.module("hom")
        }
        let catalog = try #require(operands.catalog)
        #expect(try catalog.module("home").id == "home")
        #expect(throws: CommandError.noModule("far", known: ["home"])) {
            try catalog.module("far")
        }
    }

    @Test("find files, but no ids, without a manifest")
    func withoutManifest() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("Plugins/home.so", "home")
        let operands = try operands(workspace, manifest: false)
        #expect(try operands.module(file).id == "home")
        #expect(throws: CommandError.noFileOrModule("home", known: [])) {
            try operands.module("home")
        }
    }

    @Test("count the compilers that the manifest allows")
    func compilers() throws {
        let workspace = try Workspace(manifest: #"{"manifest": 1, "compilers": ["5.9"]}"#)
        let file = try workspace.addFile("else/old.so", "old", compiler: "5.9.2")
        #expect(try operands(workspace).module(file).state == .ready)
        #expect(try operands(workspace, manifest: false).module(file).state == .incompatible)
    }
}
