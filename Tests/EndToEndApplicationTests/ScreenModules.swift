// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// The renderer for the terminal, and a module that shows it screens: each built once.
enum ScreenModules {
    private static let built = Result {
        let shipped = try BuiltProject.shipped.get()
        return try BuiltProject(
            "screens", manifest: manifest,
            modules: ["Tests/Fixtures/Screens/ShowsScreens"],
            files: ["common", "utility", "renderer-terminal"].map(shipped.file))
    }

    private static let manifest =
        #"{"manifest": 1, "bindings": {"ScreenRenderer": "renderer-terminal"}}"#

    /// A copy of the built modules and their manifest, without sources.
    static func copy() throws -> TemporaryFolder { try built.get().withoutSources() }
}
