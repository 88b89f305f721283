// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// The files that a module is built from: `module.json` and all Swift sources, at any depth.
struct SourceFiles: Hashable, Sendable {
    struct File: Hashable, Sendable {
        /// The path, relative to the folder.
        var name: String
        var identity: BuildIdentity
    }

    struct Content {
        /// The path, relative to the folder.
        var name: String
        var bytes: [UInt8]

        var isSwift: Bool { SourceFiles.isSwift(name) }
    }

    let folder: String
    /// Sorted by name. Contains the declaration.
    private(set) var files: [File] = []

    /// Looks at the files of a folder without reading them.
    ///
    /// Leaves out hidden files, package manifests, which editors want and modules do not, the folder
    /// `Tests`, and folders that are modules or packages themselves.
    ///
    /// - Throws: If the folder or one of its files cannot be looked at.
    init(_ folder: String) throws(SystemError) {
        self.folder = folder
        var seen: Set<UInt64> = []
        try collect("", into: &seen)
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The absolute paths of the files to compile.
    var swiftPaths: [String] {
        files.filter { Self.isSwift($0.name) }.map { Path.join(folder, $0.name) }
    }

    /// The files as a record keeps them: without the identities of files that changed just now.
    ///
    /// - Parameter now: A time before the files were read, in nanoseconds since 1970.
    func settled(at now: Int64) -> [File] {
        files.map { File(name: $0.name, identity: $0.identity.settled(at: now)) }
    }

    /// Reads all files.
    ///
    /// - Throws: If a file cannot be read; the error names the module of `request`.
    func contents(for request: BuildRequest) throws(BuildError) -> [Content] {
        do throws(SystemError) {
            return try contents()
        } catch {
            throw BuildError(request.id, .unreadable(error))
        }
    }

    /// Reads all files.
    func contents() throws(SystemError) -> [Content] {
        var contents: [Content] = []
        for file in files {
            let bytes = try Files.read(Path.join(folder, file.name))
            contents.append(Content(name: file.name, bytes: bytes))
        }
        return contents
    }

    /// - Parameter seen: The inodes of the folders that were visited, because a link to a folder above
    ///   would never end.
    private mutating func collect(
        _ place: String, into seen: inout Set<UInt64>
    ) throws(SystemError) {
        let path = Path.join(folder, place)
        guard seen.insert(try FileStatus(path: path).inode).inserted else { return }
        let entries = try Folder(path).entries
        if !place.isEmpty, entries.contains(where: { Self.ownManifests.contains($0.name) }) {
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let name = place.isEmpty ? entry.name : Path.join(place, entry.name)
            let isSource = name == ModuleDeclaration.fileName || Self.isSwift(name)
            switch try kind(of: entry, name, isSource: isSource) {
            case .directory:
                if name != Self.testFolder { try collect(name, into: &seen) }
            case .file where isSource:
                let status = try FileStatus(path: Path.join(folder, name))
                files.append(File(name: name, identity: BuildIdentity(status)))
            default:
                break
            }
        }
    }

    /// What makes a folder a module or a package of its own.
    private static let ownManifests = [ModuleDeclaration.fileName, "Package.swift"]
    /// Where packages have their tests. Only directly in a module's folder.
    private static let testFolder = "Tests"

    /// The kind of an entry, or of the file that it links to.
    ///
    /// - Throws: If it is a source, and links to nothing.
    private func kind(
        of entry: Folder.Entry, _ name: String, isSource: Bool
    ) throws(SystemError) -> FileStatus.Kind {
        guard entry.kind == .link || entry.kind == .unknown else { return entry.kind }
        do throws(SystemError) {
            return try FileStatus(path: Path.join(folder, name)).kind
        } catch {
            if isSource { throw error }
            return .unknown
        }
    }

    /// Whether a file is compiled. `Package.swift` and `Package@swift-6.2.swift` directly in the
    /// folder are package manifests.
    private static func isSwift(_ name: String) -> Bool {
        name.hasSuffix(".swift") && name != "Package.swift" && !name.hasPrefix("Package@swift-")
    }
}
