// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

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
