// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves build", .onOwnThreads)
struct BuildTests {
    @Test(
        "has the same bytes in another folder with --release, interfaces included, and a crash has its line"
    )
    func sameBytes() throws {
        let workspace = try Workspace(sources: true)
        let outcome = try Eaves.shell(
            """
            set -e
            mkdir -p much/deeper
            cp -r manifest.json Plugins much/deeper
            '\(Eaves.executable.path)' build --release users-memory
            cd much/deeper
            '\(Eaves.executable.path)' build --release users-memory
            for id in common users-memory; do cmp Plugins/$id.so ../../Plugins/$id.so; done
            sed -i '17s/.*/fatalError("on purpose")/' Plugins/UsersMemory/UsersMemoryModule.swift
            '\(Eaves.executable.path)' build --release users users-memory
            """, in: workspace.url)
        #expect(outcome.code == 0, "\(outcome)")
        let crash = try Eaves(folder: workspace.url.appendingPathComponent("much/deeper"))(
            "launch", "users", environment: ["SWIFT_BACKTRACE": "output-to=stderr"])
        #expect(crash.errors.contains(" at ./UsersMemory/UsersMemoryModule.swift:17"), "\(crash)")
    }
}

/// The gate runs these tests with a debug host and with an optimised one, so that all four pairs of host
/// and module are tested.
@Suite("Debug and release", .onOwnThreads)
struct ConfigurationTests {
    @Test("modules of both kinds run next to each other")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users", "analytics"])
        let optimised = try Repository.optimisedModules
        for id in ["users-memory", "login", "home"] {
            try FileManager.default.copyItem(
                at: optimised.appendingPathComponent("\(id).so"),
                to: workspace.plugins.appendingPathComponent("\(id).so"))
        }
        let outcome = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(outcome.output == "Welcome home, Alice!\n")
    }
}

@Suite("a folder of Plugins that cannot be built", .onOwnThreads)
struct BrokenSourceTests {
    @Test("does not keep a feature from being found that the source of another offers by now")
    func newFeature() throws {
        let workspace = try Workspace.built()
        try workspace.renameFeature()
        try workspace.replace("2.0.0", with: "2.0.1", in: "Plugins/UsersV2/module.json")
        try workspace.folder.write(
            "let number: Int = \"one\"\n", to: "Plugins/UsersV2/Broken.swift")
        let outcome = try workspace.eaves("launch", "people")
        #expect(outcome.output == "1 Alice\n2 Bob\n", "\(outcome)")
        #expect(outcome.errors.contains("Broken.swift:1:19: error: "), "\(outcome)")
        #expect(outcome.code == 0)
    }
}

extension Workspace {
    /// Calls the feature `users` otherwise, in its source only.
    fileprivate func renameFeature() throws {
        try replace(
            #""name": "users""#, with: #""name": "people""#, in: "Plugins/Users/module.json")
        try replace(
            #"Feature("users")"#, with: #"Feature("people")"#, in: "Plugins/Users/UsersModule.swift"
        )
    }

    fileprivate func replace(_ old: String, with new: String, in path: String) throws {
        let text = try folder.read(path)
        try folder.write(text.replacingOccurrences(of: old, with: new), to: path)
    }
}
