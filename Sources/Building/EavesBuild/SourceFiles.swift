// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesSystem
import EavesTrust

/// The way in which the files of a folder become a module.
enum SourceKind: Hashable, Sendable {
    /// The folder has sources in Swift, C or C++.
    case sources
    case package
    case crate

    static let packageManifest = "Package.swift"
    static let crateManifest = "Cargo.toml"

    fileprivate init(among names: [String]) {
        if names.contains(Self.packageManifest) {
            self = .package
        } else {
            self = names.contains(Self.crateManifest) ? .crate : .sources
        }
    }
}

/// The files that a module is built from, at any depth: `module.json` and all sources in Swift, C and C++
/// with their headers; of a package or a crate, all files. No other code lists or reads sources.
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
    private(set) var kind = SourceKind.sources
    /// The folders of packages elsewhere on this machine that the module's package depends on, relative to
    /// the folder. All files in them count.
    let dependencies: [String]
    /// The rule for who may change the files; `nil` if they are only compared.
    private let trust: TrustCheck?
    /// Sorted by name. Contains the declaration.
    private(set) var files: [File] = []

    /// Looks at the files of a folder without reading them.
    ///
    /// Leaves out hidden files, the folder `Tests`, and folders that are modules, packages or crates themselves.
    ///
    /// - Parameter trust: The rule for files that are about to be compiled: each folder that is listed, each link, each
    ///   file, and every folder on the way to them from the root on is checked. `nil` to compare the files with those of an
    ///   earlier build.
    /// - Throws: If the folder or one of its files cannot be looked at, or others can change one of them.
    init(
        _ folder: String, dependencies: [String] = [], checkedBy trust: TrustCheck? = nil
    ) throws(PlaceError) {
        self.folder = folder
        self.dependencies = dependencies
        self.trust = trust
        var seen: Set<UInt64> = []
        try collect("", root: "", into: &seen)
        if kind == .crate { try collectCargoSettings() }
        for dependency in dependencies {
            try collect(dependency, root: dependency, into: &seen)
        }
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    var swiftPaths: [String] {
        files.filter { Self.isSwift($0.name) }.map { Path.join(folder, $0.name) }
    }

    /// The files as a record keeps them: without the identities of files that changed just now.
    ///
    /// - Parameter now: A time before the files were read, in nanoseconds since 1970.
    func settled(at now: Int64) -> [File] {
        files.map { File(name: $0.name, identity: $0.identity.settled(at: now)) }
    }

    /// Reads all files, and checks each open file again if the files are checked.
    func contents() throws(PlaceError) -> [Content] {
        try files.map { file throws(PlaceError) in
            let path = path(of: file.name)
            let bytes =
                if let trust { try Self.bytes(of: path, checkedBy: trust) } else {
                    try PlaceError.wrapping(try Files.read(path))
                }
            return Content(name: file.name, bytes: bytes)
        }
    }

    /// Reads a source. Its bytes come from the file that was checked, whatever its name leads to by then.
    static func bytes(
        of path: String, checkedBy trust: TrustCheck
    ) throws(PlaceError) -> [UInt8] {
        let file = try PlaceError.checking(try trust.openFile(TrustPlace(path, .source)))
        let size = try PlaceError.wrapping(try file.status()).size
        guard size <= sizeLimit else { throw .system(SystemError(.read, path, .fileTooBig)) }
        return try PlaceError.wrapping(try file.bytes(at: 0, count: size))
    }

    /// No source is larger. In bytes.
    private static let sizeLimit = 64 << 20

    /// The absolute path of a file or folder. The name of one elsewhere leads there with `..`, from where the folder
    /// really is.
    func path(of name: String) -> String {
        name.hasPrefix("..")
            ? Path.absolute(name, from: Files.resolved(folder) ?? folder) : Path.join(folder, name)
    }

    /// - Parameters:
    ///   - root: The module's folder, or that of a package, which the place is in.
    ///   - seen: The inodes of the folders that were visited, because a link to a folder above would never end.
    private mutating func collect(
        _ place: String, root: String, into seen: inout Set<UInt64>
    ) throws(PlaceError) {
        let (inode, entries) = try list(path(of: place))
        guard seen.insert(inode).inserted else { return }
        if place.isEmpty { kind = SourceKind(among: entries.map(\.name)) }
        if place != root, entries.contains(where: { Self.ownManifests.contains($0.name) }) {
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let name = place.isEmpty ? entry.name : Path.join(place, entry.name)
            let isSource = isSource(name)
            switch try kind(of: entry, name, isSource: isSource) {
            case .directory:
                // Tests, and what Cargo makes.
                let leftOut = kind == .crate ? ["tests", "target"] : ["Tests"]
                let isLeftOut = place == root && leftOut.contains(entry.name)
                if !isLeftOut { try collect(name, root: root, into: &seen) }
            case .file where isSource:
                let status = try status(of: path(of: name))
                files.append(File(name: name, identity: BuildIdentity(status)))
            default:
                break
            }
        }
    }

    /// Adds the files that Cargo and rustup take settings from: those in the crate's folder, and in every folder above.
    /// A setting can name a program that they run.
    private mutating func collectCargoSettings() throws(PlaceError) {
        let here = Files.resolved(folder) ?? folder
        var above = here
        while true {
            for name in Self.cargoSettings {
                let path = Path.join(above, name)
                let relative = Path.climb(from: here, to: path)
                guard (try? FileStatus(path: path)) != nil,
                    !files.contains(where: { $0.name == relative })
                else { continue }
                files.append(File(name: relative, identity: BuildIdentity(try status(of: path))))
            }
            if above == "/" { return }
            above = Path.parent(of: above)
        }
    }

    private static let cargoSettings = [
        ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain",
    ]

    /// The inode and the entries of a folder. If the files are checked, both are those of the folder that was checked.
    private func list(_ path: String) throws(PlaceError) -> (UInt64, [Folder.Entry]) {
        guard let trust else {
            return try PlaceError.wrapping(
                (try FileStatus(path: path).inode, try Folder(path).entries))
        }
        let open = try PlaceError.checking(try trust.openFolder(TrustPlace(path, .way)))
        return try PlaceError.wrapping((try open.status().inode, try open.entries()))
    }

    private func status(of path: String) throws(PlaceError) -> FileStatus {
        guard let trust else { return try PlaceError.wrapping(try FileStatus(path: path)) }
        return try PlaceError.checking(try trust.follow(TrustPlace(path, .source)).status)
    }

    /// A folder with one of these files is a module, a package or a crate of its own.
    private static let ownManifests = [
        ModuleDeclaration.fileName, SourceKind.packageManifest, SourceKind.crateManifest,
    ]

    private func isSource(_ name: String) -> Bool {
        kind != .sources || name == ModuleDeclaration.fileName || Self.isSwift(name)
            || CSources.Language(ofFile: name) != nil
    }

    /// The kind of an entry, or of the file that it links to.
    ///
    /// - Throws: If it is a source, and links to nothing.
    private func kind(
        of entry: Folder.Entry, _ name: String, isSource: Bool
    ) throws(PlaceError) -> FileStatus.Kind {
        guard entry.kind == .link || entry.kind == .unknown else { return entry.kind }
        do throws(SystemError) {
            return try FileStatus(path: path(of: name)).kind
        } catch {
            if isSource { throw .system(error) }
            return .unknown
        }
    }

    /// Whether a file is a source in Swift. `Package.swift` and `Package@swift-6.2.swift` directly in a
    /// folder are package manifests.
    private static func isSwift(_ name: String) -> Bool {
        guard name.hasSuffix(".swift") else { return false }
        return name != SourceKind.packageManifest && !name.hasPrefix("Package@swift-")
    }
}

extension PlaceError {
    /// Runs `body`. A source that is gone, or not a file, does not raise a question of trust.
    fileprivate static func checking<Value: ~Copyable>(
        _ body: @autoclosure () throws(TrustError) -> Value
    ) throws(PlaceError) -> Value {
        do throws(TrustError) {
            return try body()
        } catch {
            switch error {
            case .unresolved(_, let reason): throw .system(reason)
            case .notAFile(let place, .directory):
                throw .system(SystemError(.read, place.path, .isDirectory))
            default: throw .untrusted(error)
            }
        }
    }
}
