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
    /// What is named like a shared object, whatever it is. Sorted by the bytes of the names. Empty in a
    /// narrow survey.
    let files: [SeenFile]
    /// The same in a narrow survey.
    let unseen: UnseenFiles?
    /// What may be the folder of sources. Sorted by the bytes of the names.
    let subfolders: [Folder.Entry]
    /// Sorted by the bytes of the names.
    let sources: [SourceFolder]

    /// - Parameters:
    ///   - base: The folder that messages name files from.
    ///   - looks: Takes note of what is not as the cache has it.
    init(_ path: String, seenFrom base: String, _ looks: inout FileLooks) throws(SystemError) {
        let folder = try OpenFolder(path)
        identity = FileIdentity(try folder.status())
        self.path = path
        unseen = nil
        if let known = looks.cached(path), known.identity == identity {
            files = looks.look(again: known, in: folder)
            subfolders = known.subfolders
        } else {
            // Hidden files are somebody's half-finished copies.
            let entries = try folder.entries().filter { $0.name.utf8.first != UInt8(ascii: ".") }
            let modules = entries.filter { $0.name.hasSuffix(Self.suffix) }
            files = looks.look(modules, in: folder, identity)
            subfolders = entries.filter { !$0.name.hasSuffix(Self.suffix) && $0.mayBeFolder }
        }
        sources = Self.sources(in: subfolders, of: path, seenFrom: base)
    }

    /// A directory none of whose files is looked at before it is asked for; `nil` if the cache does
    /// not know it as it is.
    ///
    /// - Parameter base: The folder that messages name files from.
    init?(narrow path: String, seenFrom base: String, _ cache: CatalogCache) {
        guard let known = cache.directory(path), let identity = known.identity,
            let unseen = UnseenFiles(known, in: cache)
        else { return nil }
        self.path = path
        self.identity = identity
        self.unseen = unseen
        files = []
        subfolders = known.subfolders
        sources = Self.sources(in: subfolders, of: path, seenFrom: base)
    }

    private static func sources(
        in subfolders: [Folder.Entry], of path: String, seenFrom base: String
    ) -> [SourceFolder] {
        subfolders.compactMap { SourceFolder(Path.join(path, $0.name), seenFrom: base) }
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
