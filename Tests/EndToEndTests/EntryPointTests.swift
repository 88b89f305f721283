// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("A folder without an entry point", .onOwnThreads)
struct EntryPointTests {
    @Test("is built and launched for the type that is named like it")
    func namedLikeFolder() throws {
        let workspace = try Workspace(modules: [])
        try workspace.folder.write(
            """
            { "id": "sunny", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "sunny" }] }
            """, to: "Plugins/Sunny/module.json")
        try workspace.folder.write(
            """
            import EavesInterface

            enum SunnyModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.registerFeature("sunny") { _ in Sunny() }
                }
            }

            struct Sunny: Feature {
                func launch(_ launch: Launch) async throws -> ExitCode {
                    try launch.console.print("sun")
                    return .success
                }
            }

            """, to: "Plugins/Sunny/Sunny.swift")
        for isFirst in [true, false] {
            let outcome = try workspace.eaves("launch", "sunny")
            #expect(outcome.output == "sun\n", "\(outcome)")
            #expect(outcome.errors.contains("built sunny in ") == isFirst, "\(outcome)")
            #expect(outcome.code == 0)
        }
        #expect(try workspace.eaves("verify", "sunny").code == 0)
    }
}
