// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

extension CatalogEntry {
    /// What a file says of itself.
    ///
    /// - Parameters:
    ///   - file: As an absolute path.
    ///   - path: How messages name it.
    init(_ content: ModuleFile, file: String, shownAs path: String, profile: HostProfile) {
        self.init(
            id: content.note?.declaration.id ?? Self.idGuess(for: file), path: path, file: file,
            note: content.note)
        problem = content.problem(in: profile)
        status = content.status
    }

    /// A module that has sources and no file.
    init(
        notBuilt source: SourceFolder, _ declaration: ModuleDeclaration, file: String, path: String
    ) {
        self.init(id: declaration.id, path: path, file: file, source: declaration)
        self.source = source.path
        problem = .notBuilt(folder: source.path)
    }

    /// Notes the folder that this file is built from.
    mutating func isBuilt(from source: SourceFolder, _ declared: ModuleDeclaration) {
        self.source = source.path
        if declaration == nil { declare(declared) }
        if problem?.state == .missing { problem = .notBuilt(folder: source.path) }
    }

    /// The file's name without `.so`, fit to be printed.
    static func idGuess(for file: String) -> String {
        let name = Path.name(of: file)
        let stem =
            name.hasSuffix(ModuleDirectory.suffix) && name.utf8.count > 3
            ? String(name.dropLast(ModuleDirectory.suffix.count)) : name
        return stem.printable
    }
}
