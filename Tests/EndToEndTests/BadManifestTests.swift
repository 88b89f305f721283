// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("a bad manifest", .onOwnThreads)
struct BadManifestTests {
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
