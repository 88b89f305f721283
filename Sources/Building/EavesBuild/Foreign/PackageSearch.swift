// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDiagnostics
import EavesSystem
import Glibc

/// The folder in which the compilers of a package find the interfaces that its module names.
///
/// SwiftPM passes on the same options to all packages, and compiles all of them again if an option is another one. So the folder
/// stays the same, and has links to the interfaces of the moment. SwiftPM does not know of them: if one is another one, the
/// targets that import any of them lose what was compiled, and no others.
struct PackageSearch {
    /// The folder with the links.
    let folder: String
    /// The folders that SwiftPM compiles into.
    private let builds: [String]
    /// A part of every path in the folder, without characters that are written in another way in lists of files.
    private let mark: String

    /// - Parameter scratch: The folder of SwiftPM.
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
