// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("the interfaces that a module uses", .onOwnThreads)
struct UsedInterfacesTests {
    @Test("are shown with the number of symbols that it binds to")
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
