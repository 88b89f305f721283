// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesSystem

/// The files that SwiftPM leaves when it has built an interface module that is a package.
///
/// The module that others name is one target of the package. What that target shows of other targets, and of other
/// packages, is part of the interface, too: a module that is compiled against it imports them by their own names, and gets
/// the types that all other modules get.
struct PackageInterface {
    let package: PackageBuild
    let configuration: BuildConfiguration
    /// The name of the Swift module that others name.
    let module: String

    /// The folder that SwiftPM has compiled into, such as `.build/eaves/debug`.
    private var build: String { package.buildFolder(configuration) }

    /// The options with which a compiler finds the module and what that imports.
    var imports: [String] {
        ["-I", modules] + (targetImports?.arguments ?? [])
    }

    var object: String {
        get throws(SystemError) { try package.object(configuration) }
    }

    /// The textual interfaces of the module and of all that it shows, with the headers of modules in C.
    func text() throws(SystemError) -> InterfaceText {
        let texts = texts
        guard let own = texts[module] else {
            throw SystemError(.open, Path.join(build, module + InterfaceText.suffix), .noSuchFile)
        }
        let bytes = try Files.read(own, limit: InterfaceSection.sizeLimit)
        var companions: [String: [UInt8]] = [:]
        var seen: Set = [module]
        var waiting = InterfaceText(bytes).allImports
        let maps = moduleMaps
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted else { continue }
            if let path = texts[name] {
                let other = try Files.read(path, limit: InterfaceSection.sizeLimit)
                companions[name + InterfaceText.suffix] = other
                waiting += InterfaceText(other).allImports
            } else if maps[name] != nil {
                // Its headers may include those of the others.
                for map in maps.values {
                    for (file, bytes) in try map.files() {
                        companions["\(map.module)/\(file)"] = bytes
                    }
                }
            }
        }
        return InterfaceText(bytes, companions: companions)
    }

    /// The paths of all textual interfaces, by the names of their modules. SwiftPM writes that of a target which itself asks
    /// for library evolution next to the module.
    private var texts: [String: String] {
        let folders = Self.paths(build).filter { $0.hasSuffix(".build") }
        let all = (folders + [modules]).flatMap(Self.paths).filter(Self.isText)
        return all.reduce(into: [:]) { texts, path in
            let name = String(Path.name(of: path).dropLast(InterfaceText.suffix.utf8.count))
            // The other one is of a target that has asked, and does so no longer, or the other way round.
            if let known = texts[name], Self.time(of: known) > Self.time(of: path) { return }
            texts[name] = path
        }
    }

    private static func time(of path: String) -> Int64 {
        (try? FileStatus(path: path))?.modified ?? 0
    }

    private var modules: String { Path.join(build, "Modules") }

    /// The modules in C that the module finds, by their names.
    private var moduleMaps: [String: ModuleMap] {
        Dictionary(
            (targetImports?.moduleMaps ?? []).compactMap { ModuleMap($0, build: build) }
                // Each module is compiled with that of the host.
                .filter { $0.module != "CEaves" }
                .map { ($0.module, $0) }
        ) { first, _ in first }
    }

    private var targetImports: TargetImports? {
        (try? Files.read(package.commandList(configuration))).flatMap {
            TargetImports(of: module, inCommands: $0)
        }
    }

    /// The compiler writes further texts, for modules of the same package alone.
    private static func isText(_ path: String) -> Bool {
        path.hasSuffix(InterfaceText.suffix) && !path.hasSuffix(".private" + InterfaceText.suffix)
            && !path.hasSuffix(".package" + InterfaceText.suffix)
    }

    /// The paths of what is in a folder, sorted.
    private static func paths(_ folder: String) -> [String] {
        Folder.names(in: folder).map { Path.join(folder, $0) }.sorted()
    }
}

/// A module in C of a package: its map, as the package has it or SwiftPM has written it, and its headers.
struct ModuleMap {
    let module: String
    private let path: String
    private let text: String

    private let isWritten: Bool

    /// Reads a map.
    ///
    /// - Parameter build: The folder that SwiftPM writes maps into.
    /// - Returns: `nil` if it cannot be read, or names no module.
    init?(_ path: String, build: String) {
        isWritten =
            path.hasPrefix((Files.resolved(build) ?? build) + "/") || path.hasPrefix(build + "/")
        guard let bytes = try? Files.read(path, limit: InterfaceSection.sizeLimit) else {
            return nil
        }
        text = String(decoding: bytes, as: UTF8.self)
        self.path = path
        // `module Name {`, also behind `framework`, and not in a comment.
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            line.split { $0.isWhitespace || $0 == "{" }.drop { $0 == "framework" }
        }
        guard let line = lines.first(where: { $0.first == "module" && $0.count > 1 }) else {
            return nil
        }
        module = String(line[line.startIndex + 1])
    }

    /// The map, as `module.modulemap`, and all headers next to it, by their names. A map that SwiftPM has written names the
    /// folder of the headers, or the one that includes all others.
    func files() throws(SystemError) -> [String: [UInt8]] {
        var text = text
        var folder = Path.parent(of: path)
        let words = text.split(separator: "\"", omittingEmptySubsequences: false)
        if isWritten, words.count == 3 {
            let named = String(words[1])
            let isFolder = try FileStatus(path: named).kind == .directory
            folder = isFolder ? named : Path.parent(of: named)
            text = "\(words[0])\"\(isFolder ? "." : Path.name(of: named))\"\(words[2])"
        }
        var files: [String: [UInt8]] = [:]
        let found = try Folder.files(below: folder) { InterfaceText.isFileInC("C/\($0)") }
        for (name, path) in found where Self.endings.contains(where: name.hasSuffix) {
            files[name] = try Files.read(path, limit: InterfaceSection.sizeLimit)
        }
        files["module.modulemap"] = Array(text.utf8)
        return files
    }

    private static let endings = [".h", ".hh", ".hpp", ".inc", ".def", ".modulemap"]
}
