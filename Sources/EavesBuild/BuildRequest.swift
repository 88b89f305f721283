// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem

/// One module to build: from which folder, into which file.
package struct BuildRequest: Hashable, Sendable {
    package var id: String
    /// The folder with `module.json` and the sources. Absolute.
    package var folder: String
    /// The `.so` to write. Absolute.
    package var output: String
    /// `nil`: as it was built last, or debug.
    package var configuration: BuildConfiguration?
    /// Messages show paths as seen from here. Absolute.
    package var base: String

    package init(
        id: String, folder: String, output: String, configuration: BuildConfiguration? = nil,
        base: String = Path.current
    ) {
        self.id = id
        self.folder = folder
        self.output = output
        self.configuration = configuration
        self.base = base
    }

    /// A folder anywhere on disk; its `module.json` says the id.
    ///
    /// - Parameters:
    ///   - folder: As the person writes it.
    ///   - output: A file, or a folder that exists and gets `<id>.so`. `nil`: beside `folder`.
    package init(
        folder: String, output: String? = nil, configuration: BuildConfiguration? = nil,
        base: String = Path.current
    ) throws(BuildError) {
        let absolute = Path.absolute(folder, from: base)
        let shown = Path.relative(absolute, to: base)
        let declaration = try Self.declaration(in: absolute, shown: shown)
        let file = "\(declaration.id).so"
        let target = output.map { Path.absolute($0, from: base) } ?? Path.parent(of: absolute)
        let isFolder = (try? FileStatus(path: target))?.kind == .directory
        self.init(
            id: declaration.id, folder: absolute,
            output: isFolder ? Path.join(target, file) : target, configuration: configuration,
            base: base)
    }

    /// ``folder`` for messages.
    var shownFolder: String { Path.relative(folder, to: base) }
    /// ``output`` for messages.
    var shownOutput: String { Path.relative(output, to: base) }

    /// What the folder's `module.json` says, now.
    func declaration() throws(BuildError) -> ModuleDeclaration {
        try Self.declaration(in: folder, shown: shownFolder)
    }

    private static func declaration(
        in folder: String, shown: String
    ) throws(BuildError) -> ModuleDeclaration {
        guard let status = try? FileStatus(path: folder) else {
            throw BuildError(shown, .noFolder)
        }
        guard status.kind == .directory else { throw BuildError(shown, .notAFolder) }
        let path = Path.join(folder, ModuleDeclaration.fileName)
        guard (try? FileStatus(path: path)) != nil else {
            throw BuildError(shown, .noDeclaration)
        }
        do throws(DeclarationError) {
            return try ModuleDeclaration.load(
                path, shownAs: Path.join(shown, ModuleDeclaration.fileName))
        } catch {
            throw BuildError(shown, .declaration(error))
        }
    }
}
