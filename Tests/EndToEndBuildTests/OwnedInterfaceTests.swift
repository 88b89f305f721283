// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("an interface that a module owns", .onOwnThreads)
struct OwnedInterfaceTests {
    /// A folder of modules: `harbour` and `depths` were built before the interfaces had owners, which no build
    /// would do now.
    private static let built = Result {
        let workspace = try sources()
        for folder in ["TideInterface", "CurrentInterface"] {
            let file = "Plugins/\(folder)/module.json"
            let members = try workspace.folder.read(file).components(separatedBy: ",\n")
            let others = members.filter { !$0.contains("owner") }
            try workspace.folder.write(others.joined(separator: ",\n") + "\n}\n", to: file)
        }
        try workspace.run("build")
        for folder in ["TideInterface", "CurrentInterface"] {
            let file = workspace.plugins.appendingPathComponent("\(folder)/module.json")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.copyItem(
                at: SwiftFixtures.folder.appendingPathComponent("Owners/\(folder)/module.json"),
                to: file)
        }
        try workspace.run("build", "tide-interface", "current-interface")
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

    /// Without sources, and without these modules.
    private func workspace(without ids: String...) throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        let plugins = try Self.built.get().plugins
        for name in try FileManager.default.contentsOfDirectory(atPath: plugins.path)
        where name.hasSuffix(".so") && !ids.contains(String(name.dropLast(3))) {
            try workspace.drop(plugins.appendingPathComponent(name))
        }
        return workspace
    }

    private static let tides =
        "the interface 'tide-interface', which belongs to the feature 'tides': only 'tides' and modules "
        + "of the layer 'composition' may use it"
    private static let fix =
        "share what both need through a common interface, which has no owner, or let a module of the "
        + "layer 'composition' bridge the two"

    @Test("is for the owner, for compositions, and for features if the owner is a core module")
    func allowed() throws {
        let workspace = try workspace(without: "harbour", "depths")
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

    @Test("is refused to others by every command in the same words, with and without a cache")
    func refused() throws {
        let workspace = try workspace()
        let id = "harbour"
        let problem = "harbour: it names \(Self.tides) (Plugins/harbour.so)"
        let full = """
            error: \(problem)
            fix: \(Self.fix); then take 'tide-interface' out of 'interfaces', and build 'harbour' again
            """
        for _ in 0..<2 {
            try workspace.expectListed("Plugins/\(id).so", as: "invalid", problem)
            try workspace.eaves("launch", id).expectFailure(65, full)
            for word in [id, "Plugins/\(id).so"] {
                let inspected = try workspace.eaves("inspect", word)
                inspected.expectFailure(65, full, output: inspected.output)
                #expect(inspected.lines.contains("state:     invalid"))
            }
            let validated = try workspace.eaves("validate", "--json")
            #expect(validated.code == 65)
            #expect(validated.output.contains(problem), "\(validated)")
        }
        let module = try #require(try workspace.verify("--only", "layer", id, code: 65).first)
        #expect(module.ids("failed") == ["layer"])
        #expect(try module.check("layer").message == problem)
        let named = try #require(try workspace.verify("--only", "interfaces", id, code: 0).first)
        #expect(named.ids("failed") == [])
        // The others are not harmed.
        #expect(try workspace.eaves("launch", "tides").output == "a tide of 3\n")
    }
}

extension Workspace {
    /// Runs a command that makes a fixture.
    fileprivate func run(_ arguments: String...) throws {
        let outcome = try eaves(arguments)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }
}
