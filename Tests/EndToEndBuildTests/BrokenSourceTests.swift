// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a folder of Plugins that cannot be built", .onOwnThreads)
struct BrokenSourceTests {
    @Test("is not built in the search for a feature that it does not declare")
    func unknownFeature() throws {
        let workspace = try Workspace()
        try workspace.addFolderWithoutSources()
        try workspace.eaves("launch", "weather").expectFailure(
            66,
            """
            error: no module offers a feature 'weather'
            fix: see all features with 'eaves list'
            """)
        try workspace.expectOthersWork()
    }

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

    @Test("is told of when the feature that is not found may be its")
    func brokenFeature() throws {
        let workspace = try Workspace.built()
        try workspace.renameFeature()
        try workspace.folder.write("let number: Int = \"one\"\n", to: "Plugins/Users/Broken.swift")
        let outcome = try workspace.eaves("launch", "people")
        #expect(outcome.errors.contains("Broken.swift:1:19: error: "), "\(outcome)")
        #expect(
            outcome.errors.hasSuffix(
                """
                error: no module offers a feature 'people'
                fix: see all features with 'eaves list'
                error: users: does not compile
                fix: correct what the compiler names above, and build again

                """), "\(outcome)")
        #expect(outcome.code == 66)
        let login = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(login.output == "Welcome home, Alice!\n")
    }

    @Test("with a broken module.json is told with the place, and harms no other")
    func brokenDeclaration() throws {
        let workspace = try Workspace()
        try workspace.folder.write(
            """
            {
              "id": "broken",
              "version": "1.0.0",
              "layer": "feeture",
              "provide": []
            }
            """, to: "Plugins/Broken/module.json")
        let outcome = try workspace.eaves("list")
        #expect(
            outcome.errors.contains("Plugins/Broken/module.json:4:12: layer: expected 'interface'"),
            "\(outcome)")
        #expect(
            outcome.errors.contains(
                "Plugins/Broken/module.json:5:3: unknown key 'provide', did you mean 'provides'?"),
            "\(outcome)")
        try workspace.expectListed(
            "Plugins/Broken/module.json", as: "invalid",
            try workspace.list().module("broken")?.problem)
        try workspace.expectOthersWork()
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

    /// A folder that declares a feature and has no source.
    fileprivate func addFolderWithoutSources() throws {
        try folder.write(
            """
            {
              "id": "hollow", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "hollow" }]
            }
            """, to: "Plugins/Hollow/module.json")
    }
}
