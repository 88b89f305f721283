// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module whose interface is not as it needs it", .onOwnThreads)
struct LackingInterfaceTests {
    /// Something that is wrong with the interface of `users`.
    struct Fault: CustomTestStringConvertible {
        let name: String
        let code: Int32
        let message: String
        /// Brings it about.
        let make: @Sendable (Workspace) throws -> Void

        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "missing", code: 69,
            message: "it is compiled against the interface 'common', and there is none"
        ) { workspace in
            try FileManager.default.removeItem(
                at: workspace.plugins.appendingPathComponent("common.so"))
        },
        Fault(
            name: "switched off", code: 69,
            message: "it is compiled against the interface 'common', which is disabled"
        ) { workspace in
            try workspace.manifest(
                #"{ "manifest": 1, "modules": { "common": { "enabled": false } } }"#)
        },
        Fault(
            name: "too old", code: 76,
            message: "it was built against version 1.7 of the interface 'common', and "
                + "Plugins/common.so has 1.0"
        ) { workspace in
            try workspace.replace(version: "1.0", by: "1.7", in: "users.so")
        },
        Fault(
            name: "of another major version", code: 76,
            message: "it was built against version 3.0 of the interface 'common', and "
                + "Plugins/common.so has 1.0"
        ) { workspace in
            try workspace.replace(version: "1.0", by: "3.0", in: "users.so")
        },
    ]

    @Test(
        "is refused by every command in the same words, with and without a cache", arguments: faults
    )
    func refused(_ fault: Fault) throws {
        let workspace = try Workspace()
        try fault.make(workspace)
        let message = "users: \(fault.message) (Plugins/users.so)"
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
                #expect(outcome.code == fault.code, "\(arguments): \(outcome)")
                #expect(
                    (outcome.errors + outcome.output).contains(message), "\(arguments): \(outcome)")
            }
            #expect(
                try workspace.eaves("inspect", "users").output.contains("state:     incompatible"))
            let validated = try workspace.eaves("validate", "--json")
            #expect(validated.code == fault.code, "\(validated)")
            #expect(validated.output.contains(message), "\(validated)")
        }
    }

    @Test("is named with all others in one message of validate and of list; the JSON has each")
    func merged() throws {
        let workspace = try Workspace()
        #expect(try workspace.eaves("disable", "common").code == 0)
        let ids = ["analytics", "home", "login", "users", "users-memory", "users-v2"]
        let message =
            "\(ids.joined(separator: ", ")): they are compiled against the interface 'common', which is "
            + "disabled\nfix: run 'eaves enable common'"
        try workspace.eaves("validate").expectFailure(69, "error: \(message)")
        let listed = try workspace.eaves("list")
        #expect(listed.errors == "warning: \(message)\n")
        let json = try workspace.eaves("validate", "--json")
        for id in ids {
            #expect(
                json.output.contains(
                    "\(id): it is compiled against the interface 'common', which is disabled "
                        + "(Plugins/\(id).so)"), "\(json)")
        }
    }

    @Test(
        "is named, with a fix, where the interface has sources and no file, and nothing may be built"
    )
    func notBuilt() throws {
        let workspace = try Workspace()
        try FileManager.default.copyItem(
            at: Repository.file("Plugins/Common"),
            to: workspace.plugins.appendingPathComponent("Common"))
        try FileManager.default.removeItem(
            at: workspace.plugins.appendingPathComponent("common.so"))
        let problem =
            "users: it is compiled against the interface 'common', which is not built yet "
            + "(Plugins/users.so)"
        try workspace.eaves("launch", "--no-build", "users").expectFailure(
            66, "error: \(problem)\nfix: run 'eaves build common'")
        try workspace.expectListed("Plugins/users.so", as: "incompatible", problem)
        // A launch that may build builds it.
        let launched = try workspace.eaves("launch", "users")
        #expect(launched.output == "1 Alice\n2 Bob\n", "\(launched)")
        #expect(launched.errors.contains("built common in "), "\(launched)")
        try workspace.expectListed("Plugins/users.so", as: "ready", nil)
    }

    @Test("is told which interface to name, whether that is built or not")
    func unbuiltInterfaces() throws {
        let workspace = try Workspace(modules: [])
        try workspace.folder.write(
            #"{ "id": "tide-api", "version": "1.0.0", "layer": "interface" }"#,
            to: "Plugins/TideAPI/module.json")
        try workspace.folder.write(
            "public protocol TideService: Sendable {}\n", to: "Plugins/TideAPI/Tides.swift")
        try workspace.folder.write(
            #"{ "id": "tides", "version": "1.0.0", "layer": "core", "requires": ["TideService"] }"#,
            to: "Plugins/Tides/module.json")
        try workspace.folder.write("enum TidesModule {}\n", to: "Plugins/Tides/Tides.swift")
        let message = "tides: the service 'TideService' is a protocol of none of its interfaces"
        let first = try workspace.eaves("build", "tides")
        #expect(first.errors.contains(message), "\(first)")
        #expect(first.errors.contains("fix: add 'tide-api' to \"interfaces\""), "\(first)")
        #expect(try workspace.eaves("build", "tide-api").code == 0)
        let second = try workspace.eaves("build", "tides")
        #expect(second.errors.contains("fix: add 'tide-api' to \"interfaces\""), "\(second)")
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
