// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// The application that this repository ships, with built modules.
struct ShippedApplication {
    let folder: TemporaryFolder
    var url: URL { folder.url }
    /// The command, run in this folder.
    var eaves: Eaves { Eaves(folder: url, owner: folder) }

    /// A fresh copy of the built modules and of the manifest.
    ///
    /// - Parameter changes: Changes the manifest.
    init(_ changes: (inout [String: Any]) -> Void = { _ in }) throws {
        folder = try BuiltProject.shipped.get().withoutSources()
        let file = folder.url.appendingPathComponent("manifest.json")
        let manifest = try Data(contentsOf: file)
        guard var object = try JSONSerialization.jsonObject(with: manifest) as? [String: Any] else {
            throw FixtureError("the manifest is no object")
        }
        changes(&object)
        try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
            .write(to: file)
    }

    /// The manifest and the sources, as a fresh clone has them.
    static func sources() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try files.copyItem(
            at: Repository.file("manifest.json"),
            to: folder.url.appendingPathComponent("manifest.json"))
        let plugins = folder.url.appendingPathComponent("Plugins")
        try files.createDirectory(at: plugins, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: Repository.file("Plugins").path)
        where !name.hasSuffix(".so") && !name.hasPrefix(".") {
            try files.copyItem(
                at: Repository.file("Plugins/\(name)"), to: plugins.appendingPathComponent(name))
        }
        return folder
    }
}
