// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module whose interface is not as it needs it", .onOwnThreads)
struct LackingInterfaceTests {
    @Test(
        "is refused by every command in the same words, with and without a cache",
        arguments: [
            (69, "it is compiled against the interface 'common', and there is none"),
            (
                76,
                "it was built against version 1.7 of the interface 'common', and Plugins/common.so has 1.0"
            ),
        ])
    func refused(code: Int32, problem: String) throws {
        let workspace = try Workspace()
        if code == 69 {
            try FileManager.default.removeItem(
                at: workspace.plugins.appendingPathComponent("common.so"))
        } else {
            try workspace.replace(version: "1.0", by: "1.7", in: "users.so")
        }
        let message = "users: \(problem) (Plugins/users.so)"
        for _ in 0..<2 {
            try workspace.expectListed("Plugins/users.so", as: "incompatible", message)
            let features = try workspace.list().features.filter { $0.module == "users" }
            #expect(features.map(\.state) == ["incompatible"])
            #expect(try workspace.eaves("list").errors.contains("the interface 'common', "))
            for arguments in [
                ["launch", "users"], ["launch", "--no-build", "users"], ["inspect", "users"],
                ["inspect", "Plugins/users.so"],
                ["verify", "--only", "interfaces", "users"],
                ["verify", "--only", "interfaces", "Plugins/users.so"],
            ] {
                let outcome = try workspace.eaves(arguments)
                #expect(outcome.code == code, "\(arguments): \(outcome)")
                #expect(
                    (outcome.errors + outcome.output).contains(message), "\(arguments): \(outcome)")
            }
            #expect(
                try workspace.eaves("inspect", "users").output.contains("state:     incompatible"))
            let validated = try workspace.eaves("validate", "--json")
            #expect(validated.code == code, "\(validated)")
            #expect(validated.output.contains(message), "\(validated)")
        }
    }

    @Test("shows by interface how many symbols it binds to")
    func symbols() throws {
        struct Inspection: Decodable {
            struct Use: Decodable {
                let id: String?
                let module: String
                let symbols: Int
            }

            let interfaceSymbols: Int
            let uses: [Use]
        }
        let workspace = try Workspace()
        let json = try workspace.eaves("inspect", "--json", "users")
        let found = try JSONDecoder().decode(Inspection.self, from: Data(json.output.utf8))
        #expect(found.uses.map(\.id) == [nil, "common"])
        #expect(found.uses.map(\.module) == ["EavesInterface", "CommonInterface"])
        #expect(found.uses.allSatisfy { $0.symbols > 0 })
        let counts = found.uses.map(\.symbols)
        #expect(found.interfaceSymbols == counts.reduce(0, +))
        #expect(
            try workspace.eaves("inspect", "users").output.contains(
                "uses:      \(counts[0]) symbols of EavesInterface, \(counts[1]) of CommonInterface\n"
            ))
    }
}

extension Workspace {
    /// Changes the version of the common interface that a module says it was built against.
    fileprivate func replace(version: String, by other: String, in file: String) throws {
        let path = plugins.appendingPathComponent(file)
        var bytes = try Data(contentsOf: path)
        let start = #""id":"common","module":"CommonInterface","version":""#
        let place = try #require(bytes.range(of: Data((start + version).utf8)))
        bytes.replaceSubrange(place, with: Data((start + other).utf8))
        try drop(bytes, as: file)
    }
}
