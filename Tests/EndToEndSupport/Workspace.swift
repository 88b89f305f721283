// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// A folder with a manifest and modules, as somebody who uses Eaves has one.
struct Workspace {
    let folder: TemporaryFolder
    var url: URL { folder.url }
    /// The command, run in this folder.
    var eaves: Eaves { Eaves(folder: url, owner: folder) }

    /// With the manifest of the sample and, of its modules, their built files or their sources.
    ///
    /// - Parameters:
    ///   - modules: The ids of the built modules to put into `Plugins`, besides the common interface; all
    ///     if `nil`.
    ///   - sources: Whether to put the sources there instead.
    init(modules: [String]? = nil, sources: Bool = false) throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        let all = try String(contentsOf: Repository.sample("manifest.json"), encoding: .utf8)
        // A warning tells of settings for a module that is not there.
        let isWhole = modules?.contains("analytics") ?? true
        try folder.write(
            isWhole ? all : all.replacing(#/ *"analytics": .*\n/#, with: ""), to: "manifest.json")
        try files.createDirectory(at: plugins, withIntermediateDirectories: true)
        if sources {
            for name in try files.contentsOfDirectory(atPath: Repository.sample("Plugins").path)
            where !name.hasSuffix(".so") && !name.hasPrefix(".") {
                try files.copyItem(
                    at: Repository.sample("Plugins/\(name)"),
                    to: plugins.appendingPathComponent(name))
            }
            return
        }
        let built = try Repository.modules
        for name in try files.contentsOfDirectory(atPath: built.path) where name.hasSuffix(".so") {
            // All other modules are compiled against the common interface.
            let isWanted = modules?.contains(String(name.dropLast(3))) ?? true
            guard isWanted || name == "common.so" else { continue }
            try files.copyItem(
                at: built.appendingPathComponent(name), to: plugins.appendingPathComponent(name))
        }
    }

    /// A copy of a project with all that is built in it, so that only the modules that a test changes are compiled.
    ///
    /// - Parameter project: The path of the project's folder.
    init(copying project: String) throws {
        folder = try TemporaryFolder()
        let copied = try Eaves.shell("cp -a '\(project)/.' .", in: url)
        guard copied.code == 0 else { throw FixtureError("\(copied)") }
    }

    /// The sample with its sources and all that is built of them.
    static func built() throws -> Workspace {
        try Workspace(copying: BuiltProject.sample.get().path)
    }

    var plugins: URL { url.appendingPathComponent("Plugins") }

    /// Replaces the manifest.
    func manifest(_ text: String) throws {
        try folder.write(text, to: "manifest.json")
    }

    /// The object that `eaves list --json` prints.
    func list() throws -> ModuleList {
        let outcome = try eaves("list", "--json")
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return try JSONDecoder().decode(ModuleList.self, from: Data(outcome.output.utf8))
    }
}
