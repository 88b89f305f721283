// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a bad manifest", .onOwnThreads)
struct BadManifestTests {
    @Test("is reported when it does not exist")
    func missing() throws {
        let workspace = try Workspace()
        try FileManager.default.removeItem(
            at: workspace.url.appendingPathComponent("manifest.json"))
        for words in [["list"], ["launch", "users"], ["build"], ["rollback"], ["enable", "home"]] {
            let outcome = try workspace.eaves(words)
            outcome.expectFailure(
                66,
                """
                error: no manifest.json in \(workspace.realPath) or any folder above it
                fix: go to the folder that holds it, name it with '--manifest PATH', or begin a project here \
                with 'eaves init'
                """)
        }
        try workspace.eaves("list", "--manifest", "other.json").expectFailure(
            66,
            """
            error: other.json: no such manifest
            fix: name a manifest with '--manifest PATH', or write '{ "manifest": 1 }' to this file
            """)
    }

    @Test("is reported when a feature is not found because a directory does not exist")
    func missingDirectory() throws {
        let workspace = try Workspace()
        try workspace.manifest(#"{"manifest": 1, "directories": ["Plugin"]}"#)
        try workspace.eaves("launch", "users").expectFailure(
            66,
            """
            error: no module offers a feature 'users'
            fix: see all features with 'eaves list'
            error: manifest.json: directories[0]: cannot list the directory 'Plugin': \
            No such file or directory
            fix: create 'Plugin', or take it out of 'directories'
            """)
    }
}
