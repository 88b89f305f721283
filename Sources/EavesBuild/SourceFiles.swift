// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem

/// The files that a module is built from: `module.json` and all Swift sources, however deep.
struct SourceFiles: Hashable, Sendable {
    struct File: Hashable, Sendable {
        /// As seen from the folder.
        var name: String
        var stamp: FileStamp
    }

    let folder: String
    /// In the order of their names. The declaration is one of them.
    private(set) var files: [File] = []

    /// Looks at the files of a folder and reads none.
    ///
    /// Left out are hidden files, a package manifest, which editors want and the module does not,
    /// and folders that are modules of their own.
    init(_ folder: String) throws(SystemError) {
        self.folder = folder
        var seen: Set<UInt64> = []
        try collect("", into: &seen)
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// What the compiler is given.
    var swiftPaths: [String] {
        files.filter { $0.name.hasSuffix(".swift") }.map { Path.join(folder, $0.name) }
    }

    /// The same with the stamps of what changed just now made void.
    func settled(at now: Int64) -> [File] {
        files.map { File(name: $0.name, stamp: $0.stamp.settled(at: now)) }
    }

    /// - Parameter seen: The folders on the way, by inode: a link to one above would never end.
    private mutating func collect(
        _ place: String, into seen: inout Set<UInt64>
    ) throws(SystemError) {
        let path = Path.join(folder, place)
        guard seen.insert(try FileStatus(path: path).inode).inserted else { return }
        let entries = try Folder(path).entries
        if !place.isEmpty, entries.contains(where: { $0.name == ModuleDeclaration.fileName }) {
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let name = place.isEmpty ? entry.name : Path.join(place, entry.name)
            if Self.isInput(name) {
                let status = try FileStatus(path: Path.join(folder, name))
                files.append(File(name: name, stamp: FileStamp(status)))
            } else if isFolder(entry, name) {
                try collect(name, into: &seen)
            }
        }
    }

    private func isFolder(_ entry: Folder.Entry, _ name: String) -> Bool {
        switch entry.kind {
        case .directory: true
        case .link, .unknown:
            (try? FileStatus(path: Path.join(folder, name)))?.kind == .directory
        case .file, .pipe, .socket, .device: false
        }
    }

    private static func isInput(_ name: String) -> Bool {
        // `Package.swift` and `Package@swift-6.2.swift`, straight in the folder.
        let isManifest = name == "Package.swift" || name.hasPrefix("Package@swift-")
        return name == ModuleDeclaration.fileName || (name.hasSuffix(".swift") && !isManifest)
    }
}
