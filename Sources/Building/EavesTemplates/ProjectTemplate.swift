// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

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
        if let eaves, !has(ProjectPackage.fileName) {
            let name = Path.name(of: folder)
            files.append(
                NewFile(
                    ProjectPackage.fileName, ProjectPackage.text(named: name, eaves: eaves)))
        }
        let ignored = Path.join(folder, ".gitignore")
        try files.write(into: folder)
        do throws(SystemError) {
            try Files.createFolder(Path.join(folder, Self.modules))
            let known = has(".gitignore") ? try Files.read(ignored) : []
            let text = Self.ignoring(besides: String(decoding: known, as: UTF8.self))
            guard text.utf8.count > known.count else { return files.map(\.path) }
            try Files.replace(ignored, with: text.utf8)
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
package enum ProjectPackage {
    package static let fileName = "Package.swift"

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
        do throws(SystemError) {
            let text = String(decoding: try Files.read(path), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if let place = lines.firstIndex(of: mark[...]) {
                let added = lines[..<place] + ["    \(line)"] + lines[place...]
                try Files.replace(path, with: added.joined(separator: "\n").utf8)
                return true
            }
        } catch {
            throw .unwritable(error)
        }
        throw .noPlace(path: path, line: line)
    }

    /// The text of a package without modules.
    ///
    /// - Parameter eaves: The folder of the package of Eaves.
    static func text(named name: String, eaves: String) -> String {
        """
        // swift-tools-version: 6.2
        import Foundation
        import PackageDescription

        // 'eaves build' needs no package. This one is for editors, which complete what modules import, and for
        // 'swift test', which runs the tests in the modules' folders.

        let eaves = Context.environment["EAVES_PACKAGE"] ?? \(eaves.debugDescription)

        // The folders of interface modules that are packages, and that other modules name.
        // SAFETY: SwiftPM runs this file on one thread.
        nonisolated(unsafe) var packages: [String] = []

        let modules: [[Target]] = [
        \(mark)
        ]

        let package = Package(
            name: \(name.debugDescription),
            dependencies: [.package(name: "Eaves", path: eaves)]
                + Set(packages).sorted().map { .package(path: $0) },
            targets: modules.flatMap(\\.self),
            swiftLanguageModes: [.v6]
        )

        /// The targets of a module: its sources, and its tests.
        func module(_ folder: String, interfaces: [String] = []) -> [Target] {
            let name = swiftModule(folder)
            return [
                .target(
                    name: name, dependencies: needs(interfaces, of: folder), path: folder,
                    exclude: exclusions(folder))
            ] + tests(folder, of: [name] + interfaces)
        }

        /// The targets of an interface module, which is compiled as modules see it.
        func interface(_ folder: String, interfaces: [String] = []) -> [Target] {
            let targets = module(folder, interfaces: interfaces)
            let evolves = ["-enable-library-evolution", "-no-verify-emitted-module-interface"]
            targets[0].swiftSettings = [.unsafeFlags(evolves)]
            return targets
        }

        /// The tests of a module, which may be one that SwiftPM does not build: they load its file.
        func tests(_ folder: String, of modules: [String] = []) -> [Target] {
            let testing: [Target.Dependency] = [.product(name: "EavesTesting", package: "Eaves")]
            return [
                .testTarget(
                    name: swiftModule(folder) + "Tests",
                    dependencies: needs(modules, of: folder) + testing,
                    path: folder + "/Tests",
                    linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])])
            ]
        }

        func needs(_ modules: [String], of folder: String) -> [Target.Dependency] {
            let parent = folder.split(separator: "/").dropLast().joined(separator: "/")
            return [.product(name: "EavesInterface", package: "Eaves")]
                + modules.map { name in
                    let path = parent.isEmpty ? name : parent + "/" + name
                    guard exists(path + "/Package.swift") else { return .byName(name: name) }
                    packages.append(path)
                    return .product(name: name, package: name)
                }
        }

        func exists(_ path: String) -> Bool {
            FileManager.default.fileExists(atPath: Context.packageDirectory + "/" + path)
        }

        /// The name of a folder as an identifier.
        func swiftModule(_ folder: String) -> String {
            String(folder.split(separator: "/").last ?? "").map { $0.isLetter || $0.isNumber ? "\\($0)" : "_" }
                .joined()
        }

        /// Everything in a module's folder that is none of its sources.
        func exclusions(_ folder: String) -> [String] {
            ["module.json", "baseline.json", "Entry.swift", "Tests"].filter { exists(folder + "/" + $0) }
        }

        """
    }
}
