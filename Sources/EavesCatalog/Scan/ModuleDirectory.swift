// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// One of the manifest's directories: the modules in it, and the folders that modules are built
/// from. What else is there does not matter.
struct ModuleDirectory: Sendable {
    static let suffix = ".so"

    /// As an absolute path.
    let path: String
    /// As it was before it was listed.
    let identity: FileIdentity
    /// What is named like a shared object, whatever it is. Sorted by the bytes of the names.
    let files: [SeenFile]
    /// What may be the folder of sources. Sorted by the bytes of the names.
    let subfolders: [Folder.Entry]
    /// Sorted by the bytes of the names.
    let sources: [SourceFolder]

    /// - Parameters:
    ///   - base: The folder that messages name files from.
    ///   - looks: Takes note of what is not as the cache has it.
    init(_ path: String, seenFrom base: String, _ looks: inout FileLooks) throws(SystemError) {
        let directory = try looks.directory(path)
        identity = directory.identity
        self.path = path
        if let known = directory.known {
            files = looks.look(again: known, directory)
            subfolders = known.subfolders
        } else {
            // Hidden files are somebody's half-finished copies.
            let entries = try directory.folder.entries().filter {
                $0.name.utf8.first != UInt8(ascii: ".")
            }
            let modules = entries.filter { $0.name.hasSuffix(Self.suffix) }
            files = looks.look(modules, in: directory.folder, identity)
            subfolders = entries.filter { !$0.name.hasSuffix(Self.suffix) && $0.mayBeFolder }
        }
        sources = subfolders.compactMap { entry in
            SourceFolder(Path.join(path, entry.name), seenFrom: base)
        }
    }

    /// Where the module of an id is built.
    func library(of id: String) -> String {
        Path.join(path, id + Self.suffix)
    }
}

extension Folder.Entry {
    fileprivate var mayBeFolder: Bool {
        switch kind {
        case .directory, .link, .unknown: true
        case .file, .pipe, .socket, .device: false
        }
    }
}
