// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// One of the manifest's directories: the modules in it, and the folders that modules are built
/// from. What else is there does not matter.
struct ModuleDirectory: Sendable {
    static let suffix = ".so"

    /// As an absolute path.
    let path: String
    /// What is named like a shared object, whatever it is. Sorted by the bytes of the names.
    let files: [Folder.Entry]
    /// Sorted by the bytes of the names.
    let sources: [SourceFolder]

    /// - Parameter base: The folder that messages name files from.
    init(_ path: String, seenFrom base: String) throws(SystemError) {
        // Hidden files are somebody's half-finished copies.
        let entries = try Folder(path).entries.filter { $0.name.utf8.first != UInt8(ascii: ".") }
        self.path = path
        files = entries.filter { $0.name.hasSuffix(Self.suffix) }
        sources = entries.compactMap { entry in
            guard !entry.name.hasSuffix(Self.suffix) else { return nil }
            switch entry.kind {
            case .directory, .link, .unknown:
                return SourceFolder(Path.join(path, entry.name), seenFrom: base)
            case .file, .pipe, .socket, .device:
                return nil
            }
        }
    }

    /// Where the module of an id is built.
    func library(of id: String) -> String {
        Path.join(path, id + Self.suffix)
    }
}
