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
    static func copy() throws -> TemporaryFolder {
        let source = URL(fileURLWithPath: try built.get().path)
        let copy = try TemporaryFolder()
        try copy.write(manifest, to: "manifest.json")
        let plugins = copy.url.appendingPathComponent("Plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: source.appendingPathComponent("Plugins").path)
        for file in files where file.hasSuffix(".so") {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent("Plugins/\(file)"),
                to: plugins.appendingPathComponent(file))
        }
        return copy
    }
}
