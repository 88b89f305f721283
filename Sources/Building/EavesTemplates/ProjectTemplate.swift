// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesSystem
package import EavesTrust

/// The files of a project in which there are no modules yet.
package struct ProjectTemplate: Sendable {
    package static let modules = "Plugins"

    /// The project's folder. Absolute.
    package let folder: String
    /// The folder of the package of Eaves, which tests are linked to; `nil` if it is not known.
    package let eaves: String?

    package init(folder: String, eaves: String?) {
        self.folder = folder
        self.eaves = eaves
    }

    /// Writes the files that are not there.
    ///
    /// - Returns: The names of those that were written.
    package func write() throws(TemplateError) -> [String] {
        let manifest = Path.join(folder, Manifest.fileName)
        guard (try? FileStatus(path: manifest)) == nil else { throw .isProject(manifest) }
        var files = [NewFile(Manifest.fileName, Self.manifest)]
        if eaves != nil, !has(ProjectPackage.fileName) {
            let name = Path.name(of: folder)
            files.append(NewFile(ProjectPackage.fileName, ProjectPackage.text(named: name)))
        }
        let ignored = Path.join(folder, ".gitignore")
        try files.write(into: folder)
        do throws(PlaceError) {
            try Output.makeFolder(Path.join(folder, Self.modules))
            if let eaves { ProjectPackage.link(folder, to: eaves, .own) }
            let known = has(".gitignore") ? try PlaceError.wrapping(try Files.read(ignored)) : []
            let text = Self.ignoring(besides: String(decoding: known, as: UTF8.self))
            guard text.utf8.count > known.count else { return files.map(\.path) }
            try Output(ignored).replace(with: text.utf8)
        } catch {
            throw .unwritable(error)
        }
        return files.map(\.path) + [".gitignore"]
    }

    private func has(_ name: String) -> Bool {
        (try? FileStatus(path: Path.join(folder, name))) != nil
    }

    private static let manifest = """
        {
          "manifest": 1,
          "directories": ["\(modules)"]
        }

        """

    /// Everything that a build makes, and no source.
    private static let ignoredPaths = [".build/", ".eaves/", ".clangd", ".sourcekit-lsp/", "*.so"]

    private static func ignoring(besides text: String) -> String {
        let known = Set(text.split(whereSeparator: \.isNewline).map(String.init))
        let missing = ignoredPaths.filter { !known.contains($0) }
        let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        return missing.isEmpty
            ? text : text + separator + missing.joined(separator: "\n") + "\n"
    }
}

/// The `Package.swift` of a project. `eaves build` does without it: editors read it, and `swift test` runs the tests
/// in the modules' folders.
///
/// SwiftPM evaluates it again when its text changes, and not when files come and go, so that it asks for none. With later tools
/// than those of 5.2, SwiftPM would warn of each file in a folder that is none of the target's.
package enum ProjectPackage {
    package static let fileName = "Package.swift"
    /// The link to the package of Eaves, which is elsewhere on each machine.
    private static let eaves = "\(Store.name)/Eaves"

    static let mark = "    // 'eaves new' adds modules above this line."

    /// Adds a module.
    ///
    /// - Parameters:
    ///   - folder: The project's.
    ///   - line: Such as `module("Plugins/Hello"),`.
    /// - Returns: Whether there is a package to add it to.
    package static func add(_ line: String, in folder: String) throws(TemplateError) -> Bool {
        let path = Path.join(folder, fileName)
        guard (try? FileStatus(path: path)) != nil else { return false }
        do throws(PlaceError) {
            let bytes = try PlaceError.wrapping(try Files.read(path))
            let text = String(decoding: bytes, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if let place = lines.firstIndex(of: mark[...]) {
                let added = lines[..<place] + ["    \(line)"] + lines[place...]
                try Output(path).replace(with: added.joined(separator: "\n").utf8)
                return true
            }
        } catch {
            throw .unwritable(error)
        }
        throw .noPlace(path: path, line: line)
    }

    /// Lets the link in a project lead to the package of Eaves, if its package names the link. Modules are built without it.
    package static func link(_ folder: String, to package: String, _ trust: TrustCheck) {
        guard let text = try? Files.read(Path.join(folder, fileName)),
            String(decoding: text, as: UTF8.self).includes(eaves),
            (try? FileStatus(path: folder))?.isOwnedByUser == true,
            let store = try? trust.openWorkplace(folder)
                .makeFolder(Store.name, mode: 0o700, checkedBy: .own),
            store.target(ofLink: Path.name(of: eaves)) != package
        else { return }
        try? store.link(Path.name(of: eaves), to: package)
    }

    /// Takes out the modules and tests whose folders are gone: SwiftPM builds no package with a target that lacks its folder.
    ///
    /// - Returns: The folders.
    package static func takeOutMissing(in folder: String) throws(PlaceError) -> [String] {
        let path = Path.join(folder, fileName)
        guard let bytes = try? Files.read(path) else { return [] }
        let isThere = { (path: String) in
            (try? FileStatus(path: Path.join(folder, path)).kind) == .directory
        }
        var missing: [String] = []
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
                guard let module = module(in: line) else { return String(line) }
                guard isThere(module) else {
                    missing.append(module)
                    return nil
                }
                guard line.hasSuffix("),"), !String(line).includes(untested),
                    !isThere(module + "/Tests")
                else { return String(line) }
                missing.append(module + "/Tests")
                return "\(line.dropLast(2)), \(untested)),"
            }
        if !missing.isEmpty { try Output(path).replace(with: lines.joined(separator: "\n").utf8) }
        return missing
    }

    private static let untested = "isTested: false"

    /// The folder that a line such as `module("Plugins/Hello"),` names.
    private static func module(in line: Substring) -> String? {
        let words = line.split(separator: "\"", maxSplits: 2)
        let calls = ["module", "interface", "packaged", "tests"].map { "    \($0)(" }
        return words.count == 3 && calls.contains(String(words[0])) ? String(words[1]) : nil
    }

    /// The text of a package without modules.
    static func text(named name: String) -> String {
        """
        // swift-tools-version:5.2
        import Foundation
        import PackageDescription

        // 'eaves build' needs no package. This one is for editors, which complete what modules import, and for
        // 'swift test', which runs the tests in the modules' folders. 'eaves build' takes out what is gone.

        // 'eaves init' and 'eaves build' make this link.
        let eaves = ProcessInfo.processInfo.environment["EAVES_PACKAGE"] ?? "\(eaves)"

        // The folders of interface modules that are packages, by their names.
        var packages: [String: String] = [:]

        let modules: [[Target]] = [
        \(mark)
        ]

        let package = Package(
            name: \(name.debugDescription),
            dependencies: [.package(name: "Eaves", path: eaves)]
                + packages.values.sorted().map { .package(path: $0) },
            targets: modules.flatMap { $0 },
            swiftLanguageVersions: [.version("6")]
        )

        /// The targets of a module: its sources, and its tests. A test needs no entry point: `without: ["Entry.swift"]`.
        func module(
            _ folder: String, interfaces: [String] = [], without files: [String] = [], isTested: Bool = true
        ) -> [Target] {
            let name = swiftModule(folder)
            return [
                .target(
                    name: name, dependencies: needs(interfaces), path: folder,
                    exclude: (isTested ? ["Tests"] : []) + files)
            ] + tests(folder, of: [name] + interfaces, isTested: isTested)
        }

        /// The targets of an interface module, which is compiled as modules see it.
        func interface(_ folder: String, interfaces: [String] = [], isTested: Bool = true) -> [Target] {
            let targets = module(folder, interfaces: interfaces, isTested: isTested)
            let evolves = ["-enable-library-evolution", "-no-verify-emitted-module-interface"]
            targets[0].swiftSettings = [.unsafeFlags(evolves)]
            return targets
        }

        /// The tests of an interface module that is a package. Its line stands before those of modules that name it.
        func packaged(_ folder: String, isTested: Bool = true) -> [Target] {
            packages[swiftModule(folder)] = folder
            return tests(folder, of: [swiftModule(folder)], isTested: isTested)
        }

        /// The tests of a module, which may be one that SwiftPM does not build: they load its file.
        func tests(_ folder: String, of modules: [String] = [], isTested: Bool = true) -> [Target] {
            let testing: [Target.Dependency] = [.product(name: "EavesTesting", package: "Eaves")]
            return !isTested ? [] : [
                .testTarget(
                    name: swiftModule(folder) + "Tests",
                    dependencies: needs(modules) + testing,
                    path: folder + "/Tests",
                    linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])])
            ]
        }

        func needs(_ modules: [String]) -> [Target.Dependency] {
            [.product(name: "EavesInterface", package: "Eaves")]
                + modules.map {
                    packages[$0] == nil ? .byName(name: $0) : .product(name: $0, package: $0)
                }
        }

        /// The name of a folder as an identifier.
        func swiftModule(_ folder: String) -> String {
            String(folder.split(separator: "/").last ?? "").map { $0.isLetter || $0.isNumber ? "\\($0)" : "_" }
                .joined()
        }

        """
    }
}
