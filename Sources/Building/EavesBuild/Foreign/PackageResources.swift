// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesDeclaration
import EavesSystem

/// The resources of a package's targets, and the code by which these find them in a host.
///
/// SwiftPM writes `Bundle.module` for each target with resources. It looks next to the program, and then in the folder on the
/// machine on which the package was built. The linker puts functions in the place of `Bundle(path:)` that look instead in the
/// folder into which the host has written the resources.
struct PackageResources {
    let resources: ModuleResources

    /// Finds the resources of the targets in a linked file.
    ///
    /// - Parameter build: The folder that SwiftPM has compiled into, perhaps with resources of targets that are gone.
    /// - Returns: `nil` if there are none.
    init?(in build: String, of file: String) throws(SystemError) {
        let names = try Folder(build).entries.map(\.name).filter { $0.hasSuffix(Self.suffix) }
        guard !names.isEmpty else { return nil }
        let bytes = try Files.read(file, limit: FileStatus.moduleSizeLimit)
        var files: [ModuleResources.File] = []
        for name in names where memmem(bytes, bytes.count, name, name.utf8.count) != nil {
            for (inner, path) in try Folder.files(below: Path.join(build, name)) {
                let bytes = try Files.read(path, limit: ModuleResources.sizeLimit)
                files.append(ModuleResources.File(name: "\(name)/\(inner)", bytes: bytes))
            }
        }
        guard !files.isEmpty else { return nil }
        resources = ModuleResources(files)
    }

    private static let suffix = ".resources"

    // MARK: The functions in the place of others

    /// Foundation's `Bundle(path:)`: it makes an object and initialises it. Optimised code makes the object itself and calls
    /// the second one.
    private static let makes = "$s10Foundation6BundleC4pathACSgSS_tcfC"
    private static let initializes = "$s10Foundation6BundleC4pathACSgSS_tcfc"

    /// Let the linker put the functions in their places.
    static let linkerOptions = [makes, initializes].map { "--wrap=\($0)" }

    /// The source of the functions, which are called as those are in whose place they stand: initialisers own their arguments.
    /// Only the bundles that SwiftPM has named are looked for in the host's folder, and everything is found as before in a
    /// program that is not a host, such as a test.
    var source: String {
        let names = Set(resources.files.compactMap { $0.name.split(separator: "/").first })
        let list = names.map { String($0).debugDescription }.sorted().joined(separator: ", ")
        return """
            @_spi(Generated) import EavesInterface
            import Foundation

            private let eavesBundles: Swift.Set<Swift.Substring> = [\(list)]

            private func eavesPlace(_ path: Swift.String) -> Swift.String {
                let name = path.split(separator: "/").last ?? ""
                guard eavesBundles.contains(name),
                    let folder = EavesInterface.ModuleBundles.folder(of: "\(resources.digest)")
                else { return path }
                return "\\(folder)/\\(name)"
            }

            extension Foundation.Bundle {
                @_silgen_name("__real_\(Self.makes)")
                fileprivate static func eavesMake(_ path: consuming Swift.String) -> Foundation.Bundle?

                @_silgen_name("__wrap_\(Self.makes)")
                static func eavesMakeAnother(_ path: consuming Swift.String) -> Foundation.Bundle? {
                    eavesMake(eavesPlace(path))
                }

                @_silgen_name("__real_\(Self.initializes)")
                fileprivate consuming func eavesInitialize(
                    _ path: consuming Swift.String
                ) -> Foundation.Bundle?

                @_silgen_name("__wrap_\(Self.initializes)")
                consuming func eavesInitializeOther(
                    _ path: consuming Swift.String
                ) -> Foundation.Bundle? {
                    eavesInitialize(eavesPlace(path))
                }
            }

            """
    }
}

extension Folder {
    /// Lists the files in a folder, at any depth.
    ///
    /// - Parameters:
    ///   - prefix: The text before each name, with which names lead from the folder to a file.
    ///   - isWanted: Whether a file, or a folder and all in it, counts.
    static func files(
        below folder: String, _ prefix: String = "",
        where isWanted: (String) -> Bool = { _ in true }
    ) throws(SystemError) -> [(name: String, path: String)] {
        var files: [(name: String, path: String)] = []
        for entry in try Folder(folder).entries where isWanted(prefix + entry.name) {
            let (name, path) = (prefix + entry.name, Path.join(folder, entry.name))
            switch try FileStatus(path: path).kind {
            case .directory: files += try Self.files(below: path, name + "/", where: isWanted)
            case .file: files.append((name, path))
            default: break
            }
        }
        return files
    }
}
