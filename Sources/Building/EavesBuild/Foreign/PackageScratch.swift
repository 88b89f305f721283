// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTrust
import Glibc

/// The folder that SwiftPM compiles a package and all that it depends on into.
///
/// Packages of a project that depend on the same packages, in the same versions, and are compiled in the same way, have one such
/// folder: what they depend on is compiled once. One of them is built in it at a time. A package that depends on none has a folder of
/// its own, in the folder of its sources, as a crate has for Cargo.
final class PackageScratch: Sendable {
    /// Absolute.
    let path: String
    let pathForCompilers: String
    /// The name of a shared folder; `nil` for one of the package's own.
    let key: String?
    /// Locks a shared folder, as long as this object lives.
    private let lock: OpenFile

    fileprivate static let folderName = "packages"
    /// The name of the file that says which package was built last.
    private static let rootName = "root"
    /// The lists of commands that SwiftPM keeps, and takes for those of whatever package is built next.
    private static let lists = BuildConfiguration.allCases.map { $0.rawValue + ".yaml" }

    private init(ofItsOwn path: String, _ trust: TrustCheck) throws(PlaceError) {
        // Others could change there what was compiled.
        let folder = try trust.makeFolder(path, mode: 0o755)
        do throws(SystemError) {
            lock = try OpenFile(reading: path)
            try Self.empty(folder, for: lock)
        } catch {
            throw .system(error)
        }
        self.path = path
        pathForCompilers = lock.pathForCompilers
        key = nil
    }

    /// - Parameter name: The name of the shared folder.
    /// - Returns: `nil` if another process builds in it now.
    private init?(
        shared name: String, for package: PackageBuild, _ records: RecordPlace
    ) throws(PlaceError) {
        let folder = try records.make()
            .makeFolder(Self.folderName, mode: 0o755, checkedBy: records.trust)
        let scratch = try folder.makeFolder(name, mode: 0o755, checkedBy: records.trust)
        do throws(SystemError) {
            guard let opened = try folder.file(name), opened.lockAlone(), folder.has(name) else {
                return nil
            }
            try Self.empty(scratch, for: opened)
            let root = Array(package.folder.utf8)
            if (try? scratch.bytes(of: Self.rootName)) != root {
                for list in Self.lists { try scratch.remove(list) }
                try scratch.replace(Self.rootName, with: root, mode: 0o644)
            }
            pathForCompilers = opened.pathForCompilers
            lock = consume opened
        } catch {
            throw .system(error)
        }
        path = scratch.path
        key = name
    }

    /// Removes what was compiled with another path, if compilers get another one each time: their caches hold it.
    private static func empty(
        _ folder: borrowing OpenFolder, for opened: borrowing OpenFile
    ) throws(SystemError) {
        guard opened.pathForCompilers != opened.path else { return }
        for entry in try folder.entries() { try folder.removeTree(entry.name) }
    }

    /// The path of the shared folder of a package; `nil` if it has one of its own.
    static func path(of recipe: BuildRecipe) -> String? {
        name(of: recipe).map { name in
            Path.join(Path.join(recipe.request.records.folder, folderName), name)
        }
    }

    /// Takes the folder of a package or crate, until it is dropped.
    static func claim(_ recipe: BuildRecipe) throws(PlaceError) -> PackageScratch? {
        guard let path = recipe.method.scratch else { return nil }
        if case .package(let package, _) = recipe.method, let name = name(of: recipe),
            let shared = try PackageScratch(shared: name, for: package, recipe.request.records)
        {
            return shared
        }
        return try PackageScratch(ofItsOwn: path, recipe.request.trust)
    }

    /// The digest of all that makes a difference to what a package depends on; `nil` if it depends on nothing, or if SwiftPM has not
    /// chosen the versions yet.
    private static func name(of recipe: BuildRecipe) -> String? {
        guard case .package(let package, _) = recipe.method, let pins = package.pins else {
            return nil
        }
        let others = package.dependencies.map { Path.absolute($0, from: package.folder) }.sorted()
        guard !pins.isEmpty || !others.isEmpty else { return nil }
        let modules = recipe.interfaces.filter { !$0.isLinked }.flatMap { file in
            file.stamp.modules + file.text.modulesInC
        }
        var hash = SHA256()
        let parts = [
            pins, others, recipe.c.clangArguments, modules.sorted(),
            [
                recipe.isInterface ? "interface" : "module", recipe.tools.compiler.versionLine,
                Path.parent(of: package.folder),
            ],
        ]
        for part in parts {
            for word in part { hash.update((word + "\0").utf8) }
            hash.update("\n".utf8)
        }
        return String(hash.finalize().hex.prefix(nameLength))
    }

    private static let nameLength = 16
}

extension RecordPlace {
    func removeUnusedPackages(at now: Int64) {
        removeUnused(in: PackageScratch.folderName, at: now, locked: true) {
            [$0.packages].compactMap(\.self)
        }
    }
}

extension PackageBuild {
    /// The versions of the packages that SwiftPM has chosen, as `Package.resolved` has them; none if it fetches none, and `nil` if it
    /// has not chosen yet.
    fileprivate var pins: [String]? {
        guard isPartlyElsewhere else { return [] }
        guard let bytes = try? Files.read(Path.join(folder, "Package.resolved"), limit: 16 << 20),
            let pins = (try? JSONNode.parse(bytes))?["pins"]?.elements
        else { return nil }
        return pins.map { $0.value.text(pretty: false) }.sorted()
    }
}

/// The folder in which the compilers of a package find the interfaces that its module names.
///
/// SwiftPM passes on the same options to all packages, and compiles all of them again if an option is another one. So the folder
/// stays the same, and has links to the interfaces of the moment. SwiftPM does not know of them: if one is another one, the
/// targets that import any of them lose what was compiled, and no others.
struct PackageSearch {
    let folder: String
    private let builds: [String]
    /// A part of every path in the folder, without characters that are written in another way in lists of files.
    private let mark: String

    init(in scratch: String) {
        folder = Path.join(scratch, "interfaces")
        mark = "/\(Path.name(of: scratch))/interfaces/"
        builds = BuildConfiguration.allCases.map { Path.join(scratch, $0.rawValue) }
    }

    /// The folders to search: the one with the links, and those of modules in C.
    ///
    /// - Parameter interfaces: The folders of the interfaces themselves, those of modules in C behind the one that they lie in.
    func folders(for interfaces: [String]) -> [String] {
        [folder]
            + interfaces.filter { interfaces.contains(Path.parent(of: $0)) }
            .map { Path.join(folder, Path.name(of: $0)) }
    }

    /// Lets the links lead to these interfaces.
    func update(to interfaces: [String]) throws(SystemError) {
        var wanted: [String: String] = [:]
        for place in interfaces where !interfaces.contains(Path.parent(of: place)) {
            for entry in try Folder(place).entries where !entry.name.hasPrefix(".") {
                wanted[entry.name] = Path.join(place, entry.name)
            }
        }
        try Files.createFolder(folder)
        let names = try Folder(folder).entries.map(\.name)
        let present = Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, (try? Files.target(ofLink: Path.join(folder, name))) ?? "")
            })
        guard present != wanted else { return }
        // The links change last: if a build is interrupted here, the next one comes to this line again.
        for build in builds { try removeUsers(in: build) }
        for name in names where present[name] != wanted[name] {
            try Files.remove(Path.join(folder, name))
        }
        for (name, target) in wanted where present[name] != target {
            let link = Path.join(folder, name)
            guard symlink(target, link) == 0 else { throw SystemError(.create, link) }
        }
    }

    /// Removes what was compiled of the targets that import one of the interfaces: the compiler notes for each target which files
    /// it has read.
    private func removeUsers(in build: String) throws(SystemError) {
        guard let entries = try? Folder(build).entries else { return }
        for entry in entries where entry.name.hasSuffix(".build") {
            let target = Path.join(build, entry.name)
            let names = try Folder(target).entries.map(\.name)
            let users = names.filter { name in
                guard name.hasSuffix(".d"), let bytes = try? Files.read(Path.join(target, name))
                else { return false }
                return String(decoding: bytes, as: UTF8.self).includes(mark)
            }
            guard !users.isEmpty else { continue }
            for name in names where Self.compiled.contains(where: name.hasSuffix) {
                try Files.remove(Path.join(target, name))
            }
            // Such as `Page.emit-module.d`, or `Page.d` in a release build.
            for module in Set(users.compactMap({ $0.split(separator: ".").first })) {
                let file = Path.join(build, "Modules/\(module).swiftmodule")
                try Files.remove(file)
            }
        }
    }

    private static let compiled = [".o", ".swiftdeps", ".priors", ".d"]
}
