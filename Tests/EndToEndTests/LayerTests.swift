// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module that reaches for another module", .onOwnThreads)
struct LayerTests {
    private func workspace(
        sharing options: [String] = [], calling: String? = nil, linked: Bool,
        as name: String = "shares-symbol.so"
    ) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(try CFixtures.module("SharesSymbol", options: options), as: name)
        let macros = calling.map { ["CALLS": $0] } ?? [:]
        let link = ["-Wl,--no-as-needed", "-L\(workspace.plugins.path)", "-l:\(name)"]
        let module = try CFixtures.module(
            "LeavesTrace", macros: macros, options: linked ? link : [])
        try workspace.drop(module, as: "bad.so")
        return workspace
    }

    private func linked(to library: String) -> String {
        """
        error: leaves-trace: is linked to another module: '\(library)' is 'shares-symbol'; modules \
        share only interfaces (Plugins/bad.so)
        fix: ask for what it needs as a service, and build it with 'eaves build'
        """
    }

    @Test("through a link to its file is refused, whether the file would be found or not")
    func linkedByFile() throws {
        let workspace = try workspace(calling: "shared_function", linked: true)
        let message = linked(to: "shares-symbol.so")
        try workspace.expectTraced(65, message)
        try workspace.expectTraced(
            65, message, environment: ["LD_LIBRARY_PATH": workspace.plugins.path])
    }

    @Test("through a link to its name is refused, also if the process has it already")
    func linkedByName() throws {
        let workspace = try workspace(
            sharing: ["-Wl,-soname,libshare.so.7"], calling: "shared_function", linked: true)
        let message = linked(to: "libshare.so.7")
        try workspace.expectTraced(65, message)
        let loaded = workspace.plugins.appendingPathComponent("shares-symbol.so").path
        try workspace.expectTraced(65, message, environment: ["LD_PRELOAD": loaded])
    }

    @Test("through a symbol is refused, and the message names the other module")
    func usesSymbol() throws {
        let workspace = try workspace(calling: "shared_function", linked: false)
        try workspace.expectTraced(
            65,
            """
            error: leaves-trace: uses symbols of other modules: 'shared_function' of \
            'shares-symbol'; modules share only interfaces (Plugins/bad.so)
            fix: ask for a service instead, or move what both need into the interface
            """)
    }

    @Test("through a name of its Swift module is refused, and the message names the other module")
    func usesSwiftName() throws {
        let workspace = try Workspace()
        let module = try SwiftFixtures.needsSwiftSymbol.get().url
        try workspace.drop(module.appendingPathComponent("needs-swift-symbol.so"), as: "bad.so")
        try workspace.drop(
            try CFixtures.module("SharesSymbol", macros: ["ID": "\"else-where\""]), as: "other.so")
        try workspace.eaves("launch", "elsewhere").expectFailure(
            65,
            """
            error: needs-swift-symbol: uses symbols of other modules: 'Elsewhere.greeting(for: \
            Swift.String, times: Swift.Int) -> Swift.String' of 'else-where'; modules share \
            only interfaces (Plugins/bad.so)
            fix: ask for a service instead, or move what both need into the interface
            """)
    }

    @Test("through a service that only features provide is refused if its own layer is core")
    func coreDeclares() throws {
        let workspace = try Workspace()
        let macros = ["LAYER": #""core""#, "REQUIRES": #""\"UserService\",\"LoginFactory\"""#]
        try workspace.drop(try CFixtures.module("LeavesTrace", macros: macros), as: "bad.so")
        let message = """
            leaves-trace: its layer is 'core', and it requires what only features or compositions \
            provide: LoginFactory (of login) (Plugins/bad.so)
            """
        let fix = """
            fix: let a module of the layer 'core' provide it, put its protocol into an interface that \
            this module owns, or give this one another 'layer' in its module.json and rebuild it
            """
        try workspace.expectListed("Plugins/bad.so", as: "invalid", message)
        #expect(try workspace.eaves("list").errors == "warning: \(message)\n\(fix)\n")
        let inspected = try workspace.eaves("inspect", "leaves-trace")
        inspected.expectFailure(65, "error: \(message)\n\(fix)", output: inspected.output)
        try workspace.expectOthersWork()
        // Without the feature no module provides the service, which is not this module's fault.
        #expect(try workspace.eaves("disable", "login").code == 0)
        #expect(try workspace.list().module("leaves-trace")?.state == "ready")
    }

    @Test(
        "through a service that only features provide is refused also if it does not declare that")
    func coreHides() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("uses-feature"))
        let message = """
            error: uses-feature: its layer is 'core', and it uses what only features or compositions \
            provide: LoginFactory (of login) (Plugins/uses-feature.so)
            fix: let a module of the layer 'core' provide it, put its protocol into an interface that \
            this module owns, or give this one another 'layer' in its module.json and rebuild it
            """
        try workspace.eaves("launch", "upward").expectFailure(65, message)
        let inspected = try workspace.eaves("inspect", "uses-feature")
        inspected.expectFailure(65, message, output: inspected.output)
        #expect(inspected.lines.contains("also uses: LoginFactory"))
        try workspace.expectOthersWork()
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
        #expect(try workspace.eaves("launch", "silent-need").output == "2 users\n")
    }
}
