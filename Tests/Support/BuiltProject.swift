// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDeclaration
import EavesProcess
import EavesSystem
import Foundation

/// A manifest and modules that `eaves build` has built, once for each content. No test changes it.
package struct BuiltProject: Sendable {
    /// A change of the sources before they are built.
    package struct Edit: Sendable {
        let file: String
        let old: String
        let new: String

        /// - Parameters:
        ///   - file: Below `Plugins`.
        ///   - old: A text that has to be there.
        package init(_ file: String, _ old: String, _ new: String) {
            self.file = file
            self.old = old
            self.new = new
        }
    }

    /// The folder with `manifest.json` and `Plugins`, which holds the sources and the `.so` files.
    package let path: String

    /// The application that this repository ships.
    package static let shipped = Result {
        try BuiltProject(
            "shipped", manifest: text("manifest.json"), modules: moduleFolders(in: "Plugins"))
    }

    /// The sample: a small application like those of users of Eaves, which the tests know by heart.
    package static let sample = Result { try sample("sample") }

    /// The sample, built with options or from other sources.
    package static func sample(
        _ name: String, only ids: [String] = [], edits: [Edit] = [], options: [String] = []
    ) throws -> BuiltProject {
        try BuiltProject(
            name, manifest: text("Tests/Sample/manifest.json"),
            modules: moduleFolders(in: "Tests/Sample/Plugins"), edits: edits,
            arguments: options + ids)
    }

    /// - Parameters:
    ///   - name: One name for each project.
    ///   - manifest: The text of the manifest.
    ///   - modules: The folders of sources, in this repository.
    ///   - files: The paths of `.so` files that are put next to them.
    ///   - arguments: Those of `eaves build`.
    package init(
        _ name: String, manifest: String, modules: [String], files: [String] = [],
        edits: [Edit] = [], arguments: [String] = []
    ) throws {
        let words = [manifest] + edits.flatMap { [$0.file, $0.old, $0.new] } + arguments
        let sources = modules.map(Repository.path)
        path = try BuiltOnce.folder(name, of: sources + files, words) { folder in
            try Files.replace(
                Path.join(folder, "manifest.json"), with: Array(manifest.utf8), mode: 0o644)
            let plugins = Path.join(folder, "Plugins")
            try Files.createFolder(plugins)
            try Self.run("cp", ["-r"] + sources + files + [plugins], in: folder)
            for edit in edits { try Self.apply(edit, in: plugins) }
            try Self.run(Repository.command, ["build"] + arguments, in: folder)
        }
    }

    /// The path of a module's `.so`.
    package func file(_ id: String) -> String { Path.join(path, "Plugins/\(id).so") }

    /// Copies the files of modules into a folder.
    package func copy(_ ids: [String], into folder: String) throws {
        try Self.run("cp", ids.map(file) + [folder], in: path)
    }

    /// A copy of the manifest and of all built modules, without sources.
    package func withoutSources() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        let plugins = try copy.createFolder("Plugins")
        try Self.run("cp", ["manifest.json", copy.path], in: path)
        try Self.run("sh", ["-c", "cp Plugins/*.so \"$0\"", plugins], in: path)
        return copy
    }

    /// The folders of a folder that hold the sources of a module.
    package static func moduleFolders(in folder: String) throws -> [String] {
        try Folder(Repository.path(folder)).entries.map { Path.join(folder, $0.name) }.filter {
            (try? FileStatus(path: Repository.path(Path.join($0, ModuleDeclaration.fileName))))
                != nil
        }
    }

    private static func text(_ file: String) throws -> String {
        String(decoding: try Files.read(Repository.path(file)), as: UTF8.self)
    }

    private static func apply(_ edit: Edit, in folder: String) throws {
        let path = Path.join(folder, edit.file)
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        guard text.contains(edit.old) else {
            throw FixtureError("no '\(edit.old)' in \(edit.file)")
        }
        try Files.replace(
            path, with: Array(text.replacing(edit.old, with: edit.new).utf8), mode: 0o644)
    }

    private static func run(_ program: String, _ arguments: [String], in folder: String) throws {
        var command = ChildCommand(program, arguments)
        command.folder = folder
        let report = try ChildPool.run(command)
        guard report.ending.isSuccess else { throw FixtureError(report) }
    }
}
