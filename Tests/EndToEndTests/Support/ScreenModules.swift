// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// The renderer for the terminal, and a module that shows it screens: each built once in a run.
enum ScreenModules {
    /// The folder with a manifest and the `.so` files.
    static let built = Result {
        let folder = try TemporaryFolder()
        let plugins = folder.url.appendingPathComponent("Plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        let shipped = ["Common", "Utility", "RendererTerminal"].map {
            Repository.file("Plugins/\($0)")
        }
        let fixture = Repository.file("Tests/EndToEndTests/Fixtures/Screens/ShowsScreens")
        for source in shipped + [fixture] {
            try FileManager.default.copyItem(
                at: source, to: plugins.appendingPathComponent(source.lastPathComponent))
        }
        try folder.write(
            #"{"manifest": 1, "bindings": {"ScreenRenderer": "renderer-terminal"}}"#,
            to: "manifest.json")
        let outcome = try Eaves.run(Eaves.executable, ["build"], in: folder.url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return folder
    }

    /// A copy of the built modules and their manifest, without sources.
    static func copy() throws -> TemporaryFolder {
        let source = try built.get()
        let copy = try TemporaryFolder()
        try copy.write(try source.read("manifest.json"), to: "manifest.json")
        let plugins = copy.url.appendingPathComponent("Plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: source.url.appendingPathComponent("Plugins").path)
        for file in files where file.hasSuffix(".so") {
            try FileManager.default.copyItem(
                at: source.url.appendingPathComponent("Plugins/\(file)"),
                to: plugins.appendingPathComponent(file))
        }
        return copy
    }
}
