// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module that reaches for another module", .onOwnThreads)
struct LayerTests {
    @Test("through a link to its name is refused, also if the process has it already")
    func linkedByName() throws {
        let workspace = try Workspace()
        try workspace.drop(
            CFixtures.module("SharesSymbol", options: ["-Wl,-soname,libshare.so.7"]),
            as: "shares-symbol.so")
        let link = ["-Wl,--no-as-needed", "-L\(workspace.plugins.path)", "-l:shares-symbol.so"]
        try workspace.drop(
            CFixtures.module("LeavesTrace", macros: ["CALLS": "shared_function"], options: link),
            as: "bad.so")
        for loaded in [[:], ["LD_PRELOAD": workspace.path("Plugins/shares-symbol.so")]] {
            for words in [["launch", "traced"], ["inspect", "leaves-trace"]] {
                let outcome = try workspace.eaves(words, environment: loaded)
                #expect(
                    outcome.errors == """
                        error: leaves-trace: is linked to another module: 'libshare.so.7' is \
                        'shares-symbol'; modules share only interfaces (Plugins/bad.so)
                        fix: ask for what it needs as a service, and build it with 'eaves build'

                        """)
                #expect(outcome.code == 65)
            }
        }
        #expect(!workspace.folder.has("code-ran") && !workspace.folder.has("library-ran"))
    }

    @Test("through a service that it does not declare is shown by inspect, and runs")
    func undeclared() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("uses-undeclared"))
        let inspected = try workspace.eaves("inspect", "uses-undeclared")
        #expect(inspected.lines.contains("also uses: UserService"), "\(inspected)")
        #expect(inspected.code == 0)
        let json = try workspace.eaves("inspect", "users", "--json").output
        #expect(json.contains(#""undeclared": []"#))
        #expect(!json.contains(#""symbols": 0"#))
        #expect(try workspace.eaves("launch", "silent-need").output == "2 users\n")
        let validated = try OutputSchema.read(
            workspace.eaves("validate", "--json").output, as: "validate")
        #expect(
            validated["warnings"]?.elements?.compactMap { $0["message"]?.string } == [
                "uses-undeclared: uses UserService, which its 'requires' does not name (Plugins/uses-undeclared.so)"
            ])
    }
}
