// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("A folder without an entry point", .onOwnThreads)
struct EntryPointTests {
    private static let entry = """
        import CEaves
        import EavesInterface

        @c(eaves_register)
        public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
            register(WrittenModule.self, with: host)
        }

        """

    /// A module type whose feature `sunny` prints a text.
    private static func module(_ name: String, prints text: String) -> String {
        """
        import EavesInterface

        enum \(name): Module {
            static func register(in registrar: any Registrar) {
                registrar.registerFeature("sunny") { _ in \(name)Feature() }
            }
        }

        struct \(name)Feature: Feature {
            func launch(_ launch: Launch) async throws -> ExitCode {
                try launch.console.print("\(text)")
                return .success
            }
        }

        """
    }

    /// A workspace with the folder `Plugins/Sunny`.
    private func workspace(
        _ sources: [String: String], keys: String = ""
    ) throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try declare(workspace, keys)
        for (name, text) in sources {
            try workspace.folder.write(text, to: "Plugins/Sunny/\(name).swift")
        }
        return workspace
    }

    private func declare(_ workspace: Workspace, _ keys: String) throws {
        try workspace.folder.write(
            """
            { "id": "sunny", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "sunny" }]\(keys) }
            """, to: "Plugins/Sunny/module.json")
    }

    private func expectLaunch(_ text: String, _ workspace: Workspace, builds: Bool = true) throws {
        let outcome = try workspace.eaves("launch", "sunny")
        #expect(outcome.output == "\(text)\n", "\(outcome)")
        #expect(outcome.errors.contains("built sunny in ") == builds, "\(outcome)")
        #expect(outcome.code == 0)
    }

    @Test("is built and launched for the type that is named like it")
    func namedLikeFolder() throws {
        let workspace = try workspace(["Sunny": Self.module("SunnyModule", prints: "sun")])
        try expectLaunch("sun", workspace)
        try expectLaunch("sun", workspace, builds: false)
        #expect(try workspace.eaves("verify", "sunny").code == 0)
    }

    @Test("is built for the type that module.json names, which is no part of the .so")
    func named() throws {
        let workspace = try workspace(
            [
                "One": Self.module("SunnyModule", prints: "one"),
                "Two": Self.module("Two", prints: "two"),
            ],
            keys: #", "entry": "Two""#)
        try expectLaunch("two", workspace)
        let file = try Data(contentsOf: workspace.plugins.appendingPathComponent("sunny.so"))
        #expect(file.range(of: Data(#""id":"sunny""#.utf8)) != nil)
        #expect(file.range(of: Data(#""entry""#.utf8)) == nil)
        // To find a feature that no module offers, the host compares declarations and modules.
        let unknown = try workspace.eaves("launch", "rain")
        #expect(unknown.code == 66 && !unknown.errors.contains("built"), "\(unknown)")
        try declare(workspace, "")
        try expectLaunch("one", workspace)
    }

    @Test("is built again when an entry point is written or removed")
    func written() throws {
        let workspace = try workspace([
            "Sunny": Self.module("SunnyModule", prints: "added"),
            "Written": Self.module("WrittenModule", prints: "written"),
        ])
        try expectLaunch("added", workspace)
        try workspace.folder.write(Self.entry, to: "Plugins/Sunny/Entry.swift")
        try expectLaunch("written", workspace)
        try FileManager.default.removeItem(
            at: workspace.plugins.appendingPathComponent("Sunny/Entry.swift"))
        try expectLaunch("added", workspace)
    }
}
