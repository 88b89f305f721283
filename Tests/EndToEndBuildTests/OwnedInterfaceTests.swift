// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("an interface that a module owns", .onOwnThreads)
struct OwnedInterfaceTests {
    /// A folder of modules.
    private static let built = Result {
        let workspace = try sources()
        let outcome = try workspace.eaves("build")
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return workspace
    }

    private static func sources() throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        let owners = SwiftFixtures.folder.appendingPathComponent("Owners")
        for name in try FileManager.default.contentsOfDirectory(atPath: owners.path) {
            try FileManager.default.copyItem(
                at: owners.appendingPathComponent(name),
                to: workspace.plugins.appendingPathComponent(name))
        }
        return workspace
    }

    /// Without sources.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        let plugins = try Self.built.get().plugins
        for name in try FileManager.default.contentsOfDirectory(atPath: plugins.path)
        where name.hasSuffix(".so") {
            try workspace.drop(plugins.appendingPathComponent(name))
        }
        return workspace
    }

    @Test("is for the owner, for compositions, and for features if the owner is a core module")
    func allowed() throws {
        let workspace = try workspace()
        for _ in 0..<2 {
            #expect(try workspace.list().modules.allSatisfy { $0.state == "ready" })
            #expect(try workspace.eaves("launch", "tides").output == "a tide of 3\n")
            // A core module uses what a composition provides, since the protocol is its own.
            #expect(try workspace.eaves("launch", "boats").output == "a current of 5\n")
        }
        #expect(try workspace.eaves("validate").code == 0)
        #expect(try workspace.eaves("launch", "tides", "--no-build").code == 0)
        for module in try workspace.verify("--only", "layer", code: 0) {
            #expect(module.ids("failed") == [], "\(module)")
        }
        let interface = try workspace.eaves("inspect", "tide-interface")
        #expect(interface.lines.contains("owner:     tides"), "\(interface)")
        let json = try workspace.eaves("inspect", "--json", "tide-interface").output
        #expect(json.contains(#""owner": "tides""#))
        let common = try workspace.eaves("inspect", "--json", "common").output
        #expect(common.contains(#""owner": null"#))
    }
}
