// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesSystem

/// Collects the modules that a manifest leads to, in three steps: the files, the sources that they
/// are built from, and what the manifest says of each.
struct CatalogScan {
    /// A module, and whether its id stands for it.
    struct Found {
        var entry: CatalogEntry
        /// Whether the manifest lists this very file.
        var isListedFile = false
        /// Whether no other module of the same id goes before it.
        var isUsed = true
        /// The directory that it was found in, as an absolute path.
        var directory: String?
        /// Whether a directory listing called it a file, and so no link.
        var isPlain = false
    }

    /// What makes two names the same file.
    private struct Inode: Hashable {
        let device: UInt64
        let number: UInt64

        init(_ status: FileStatus) {
            device = status.device
            number = status.inode
        }
    }

    /// In the order of the manifest's directories, then of the names in each.
    var found: [Found] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// What is wrong with the notes of the quarantine.
    var quarantineFaults: [Diagnostic] = []
    private var indexByFile: [String: Int] = [:]
    let manifest: Manifest
    private let profile: HostProfile

    init(manifest: Manifest, profile: HostProfile) {
        self.manifest = manifest
        self.profile = profile
    }

    mutating func run() {
        addListedFiles()
        let directories = directories()
        for directory in directories { addFiles(of: directory) }
        for directory in directories { addSources(of: directory) }
        checkTrust()
        chooseAmongDuplicates()
        applyManifest()
        applyQuarantine()
    }

    private mutating func addListedFiles() {
        for listed in manifest.modules {
            guard let library = listed.library else { continue }
            let file = Path.absolute(library, from: manifest.directory)
            var entry = CatalogEntry(file: file, shownAs: shown(file), profile: profile)
            if let own = entry.note?.declaration.id, own != listed.id, entry.problem == nil {
                entry.problem = .otherID(own, manifest.place(of: listed))
            }
            entry.id = listed.id
            add(Found(entry: entry, isListedFile: true))
        }
    }

    private mutating func directories() -> [ModuleDirectory] {
        var directories: [ModuleDirectory] = []
        for (index, name) in manifest.directories.enumerated() {
            let path = Path.absolute(name, from: manifest.directory)
            do throws(SystemError) {
                directories.append(try ModuleDirectory(path, seenFrom: manifest.directory))
            } catch {
                if error.errno.meansMissing && !manifest.namesDirectories { continue }
                let place = manifest.place(ofDirectory: index)
                diagnostics.append(ManifestFault.directory(name, place, error).diagnostic)
            }
        }
        return directories
    }

    private mutating func addFiles(of directory: ModuleDirectory) {
        let listed = Set(found.filter(\.isListedFile).compactMap(\.entry.status).map(Inode.init))
        for file in directory.files {
            let path = Path.join(directory.path, file.name)
            if indexByFile[path] != nil { continue }
            let entry = CatalogEntry(
                file: path, shownAs: shown(path), isRegular: file.kind == .file, profile: profile)
            if let status = entry.status, listed.contains(Inode(status)) { continue }
            add(
                Found(entry: entry, directory: directory.path, isPlain: file.kind == .file))
        }
    }

    private mutating func addSources(of directory: ModuleDirectory) {
        for source in directory.sources {
            switch source.declaration {
            case .success(let declaration):
                add(source, declaration, file: directory.library(of: declaration.id))
            case .failure(let error):
                add(source, error, file: error.id.map(directory.library))
            }
        }
    }

    private mutating func add(
        _ source: SourceFolder, _ declaration: ModuleDeclaration, file: String
    ) {
        guard let index = indexByFile[file] else {
            let entry = CatalogEntry(notBuilt: source, declaration, file: file, path: shown(file))
            return add(Found(entry: entry))
        }
        if found[index].entry.source == nil {
            found[index].entry.isBuilt(from: source, declaration)
        } else {
            // A second folder for the same module, which is reported as a duplicate.
            let path = shown(Path.join(source.path, ModuleDeclaration.fileName))
            found.append(
                Found(entry: CatalogEntry(notBuilt: source, declaration, file: file, path: path)))
        }
    }

    private mutating func add(_ source: SourceFolder, _ error: DeclarationError, file: String?) {
        // What was built before somebody made a mistake in `module.json` still runs.
        if let file, let index = indexByFile[file], found[index].entry.problem == nil {
            diagnostics += error.diagnostics
            return
        }
        let file = Path.join(source.path, ModuleDeclaration.fileName)
        let id = error.id ?? CatalogEntry.idGuess(for: source.path)
        var entry = CatalogEntry(id: id, path: shown(file), file: file)
        entry.problem = .declaration(error)
        add(Found(entry: entry))
    }

    private mutating func add(_ module: Found) {
        indexByFile[module.entry.file] = found.count
        found.append(module)
    }

    private func shown(_ path: String) -> String {
        Path.relative(path, to: manifest.directory)
    }
}
