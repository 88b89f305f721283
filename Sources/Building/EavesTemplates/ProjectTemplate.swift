// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

/// The files of a project in which there are no modules yet.
package struct ProjectTemplate: Sendable {
    /// The folder for modules.
    package static let modules = "Plugins"

    /// The project's folder. Absolute.
    package let folder: String
    /// The folder of the package of Eaves, which tests are linked to; `nil` if it is not known.
    package let eaves: String?

    package init(folder: String, eaves: String?) {
        self.folder = folder
        self.eaves = eaves
    }

    /// Writes the files that are not there.
    ///
    /// - Returns: The names of those that were written.
    /// - Throws: ``TemplateError`` if there is a manifest already, or a file cannot be written.
    package func write() throws(TemplateError) -> [String] {
        let manifest = Path.join(folder, Manifest.fileName)
        guard (try? FileStatus(path: manifest)) == nil else { throw .isProject(manifest) }
        var files = [NewFiles.File(Manifest.fileName, Self.manifest)]
        if let eaves, !has(ProjectPackage.fileName) {
            let name = Path.name(of: folder)
            files.append(
                NewFiles.File(
                    ProjectPackage.fileName, ProjectPackage.text(named: name, eaves: eaves)))
        }
        let ignored = Path.join(folder, ".gitignore")
        try NewFiles(files).write(into: folder)
        do throws(SystemError) {
            try Files.createFolder(Path.join(folder, Self.modules))
            let known = has(".gitignore") ? try Files.read(ignored) : []
            let text = Self.ignoring(besides: String(decoding: known, as: UTF8.self))
            guard text.utf8.count > known.count else { return files.map(\.path) }
            try Files.replace(ignored, with: text.utf8)
        } catch {
            throw .unwritable(error)
        }
        return files.map(\.path) + [".gitignore"]
    }

    private func has(_ name: String) -> Bool {
        (try? FileStatus(path: Path.join(folder, name))) != nil
    }

    private static let manifest = """
        {
          "manifest": 1,
          "directories": ["\(modules)"]
        }

        """

    /// Everything that a build makes, and no source.
    private static let ignoredPaths = [".build/", ".eaves/", ".clangd", ".sourcekit-lsp/", "*.so"]

    /// The text of `.gitignore` with what builds make.
    private static func ignoring(besides text: String) -> String {
        let known = Set(text.split(whereSeparator: \.isNewline).map(String.init))
        let missing = ignoredPaths.filter { !known.contains($0) }
        let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        return missing.isEmpty
            ? text : text + separator + missing.joined(separator: "\n") + "\n"
    }
}
