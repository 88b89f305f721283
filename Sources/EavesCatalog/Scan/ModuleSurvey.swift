// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

/// All files that a manifest leads to, each looked at once. What is in those that are as they were
/// is in the cache, and is not taken apart before somebody asks.
struct ModuleSurvey: Sendable {
    /// The file of each of the manifest's modules that names its library, in its order.
    let listed: [SeenFile]
    /// In the order of the manifest.
    let directories: [ModuleDirectory]
    /// The directories that cannot be listed, in the order of the manifest.
    let faults: [ManifestFault]
    /// Whether a new cache would know more than the old one, or has something to forget.
    let isNews: Bool
    /// How many files had to be read.
    let readCount: Int
    let cache: CatalogCache?

    /// - Parameter look: Of the same manifest.
    init(_ manifest: Manifest, _ look: CatalogLook) {
        var looks = FileLooks(look)
        let cache = look.start.cache
        self.cache = cache
        listed = Self.listedFiles(manifest, &looks)
        var directories: [ModuleDirectory] = []
        var faults: [ManifestFault] = []
        for (index, name) in manifest.directories.enumerated() {
            let path = Path.absolute(name, from: manifest.directory)
            do throws(SystemError) {
                let directory = try ModuleDirectory(path, seenFrom: manifest.directory, &looks)
                directories.append(directory)
            } catch {
                if error.errno.meansMissing && !manifest.namesDirectories { continue }
                faults.append(.directory(name, manifest.place(ofDirectory: index), error))
            }
        }
        self.directories = directories
        self.faults = faults
        readCount = looks.readCount
        let known = cache?.directories.map(\.path) ?? []
        isNews = looks.isNews || known != [Self.listedPath] + directories.map(\.path)
    }

    /// Stands for a directory's path where a cache has the listed files.
    static let listedPath = ""

    private static func listedFiles(_ manifest: Manifest, _ looks: inout FileLooks) -> [SeenFile] {
        let paths = manifest.modules.compactMap(\.library).map {
            Path.absolute($0, from: manifest.directory)
        }
        // Absolute paths lead from any folder to the same file.
        guard !paths.isEmpty, let root = try? OpenFolder("/") else {
            return paths.map { .read(name: $0, kind: .unknown, ModuleFile($0)) }
        }
        var known = (looks.cached(listedPath)?.files ?? 0..<0)
        return paths.map { path in
            let entry = Folder.Entry(name: path, kind: .unknown)
            return looks.look(entry, knownAs: known.popFirst(), in: root)
        }
    }

    /// A file's name in its directory; the whole path of one that the manifest lists.
    func name(_ file: SeenFile) -> String {
        switch file {
        case .kept(let index): cache?.file(index).flatMap { cache?.name($0) } ?? ""
        case .read(let name, _, _): name
        }
    }

    func kind(_ file: SeenFile) -> FileStatus.Kind {
        switch file {
        case .kept(let index): cache?.file(index)?.kind ?? .unknown
        case .read(_, let kind, _): kind
        }
    }

    /// What a file says.
    ///
    /// - Parameter path: Where it is.
    func content(_ file: SeenFile, at path: String) -> ModuleFile {
        switch file {
        case .kept(let index):
            // Else it is read, as if it had not been kept.
            cache?.file(index).flatMap { cache?.content($0) } ?? ModuleFile(path)
        case .read(_, _, let content):
            content
        }
    }

    /// The places in the cache of the files that may be found under a key.
    func kept(_ key: CacheKey) -> [Int] { cache?.files(key) ?? [] }
}
