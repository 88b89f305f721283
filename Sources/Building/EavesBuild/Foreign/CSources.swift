// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesProcess
import EavesSystem

/// The sources in C and C++ of a folder, alone or next to sources in Swift, and the folder's module maps.
struct CSources: Hashable, Sendable {
    enum Language: Hashable, Sendable {
        case c, cxx
        /// A header, or another part that sources include.
        case header
        /// A module map, through which Swift sees C.
        case moduleMap

        init?(ofFile name: String) {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            switch name[name.utf8.index(after: dot)...] {
            case "c": self = .c
            case "cc", "cpp", "cxx", "c++": self = .cxx
            case "h", "hh", "hpp", "hxx", "inc", "def": self = .header
            case "modulemap": self = .moduleMap
            default: return nil
            }
        }
    }

    private let folder: String
    /// The paths of the files to compile. Absolute, sorted.
    let files: [String]
    /// The paths of the module maps. Absolute, sorted.
    let moduleMaps: [String]
    /// Whether one of the files is in C++, so that the module needs its runtime.
    let hasCXX: Bool
    /// Whether one of the sources seems to define `eaves_register`.
    let hasEntryPoint: Bool

    init(in folder: String, _ contents: [SourceFiles.Content]) {
        self.folder = folder
        let named = contents.compactMap { content in
            Language(ofFile: content.name).map { (language: $0, content: content) }
        }
        let sources = named.filter { $0.language == .c || $0.language == .cxx }
        files = sources.map { Path.join(folder, $0.content.name) }
        hasCXX = sources.contains { $0.language == .cxx }
        moduleMaps = named.filter { $0.language == .moduleMap }
            .map { Path.join(folder, $0.content.name) }
        hasEntryPoint = sources.contains {
            CText(bytes: $0.content.bytes).has(word: "eaves_register")
        }
    }

    /// The arguments through which the Swift compiler sees the module maps.
    var swiftArguments: [String] {
        moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The arguments for linking objects that were made of these sources.
    var runtimeArguments: [String] { hasCXX ? ["-lstdc++", "-lm"] : [] }

    /// The options that make a difference to the module, without those that name files.
    static func flags(_ configuration: BuildConfiguration) -> [String] {
        let optimisation =
            switch configuration {
            case .debug: ["-O0", "-g"]
            case .release: ["-O2", "-g1"]
            }
        return ["-fPIC", "-Wall", "-fuse-ld=lld"] + optimisation
    }

    /// Compiles and links a module that has no source in Swift.
    func moduleCommand(
        _ clang: String, recipe: BuildRecipe, _ compile: CompileCommand, output: String
    ) -> ChildCommand {
        command(
            clang, recipe, compile,
            ["-shared"] + CompileCommand.linkerWords(recipe.configuration).map { "-Wl,\($0)" }
                + ["-Wl,\(CompileCommand.metadata(compile.note))", "-o", output]
                + files + recipe.c.clangLinkArguments + runtimeArguments)
    }

    /// Compiles the sources to one object, for a module that has sources in Swift as well.
    func objectCommand(
        _ clang: String, recipe: BuildRecipe, _ compile: CompileCommand, output: String
    ) -> ChildCommand {
        command(clang, recipe, compile, ["-r", "-nostdlib", "-o", output] + files)
    }

    private func command(
        _ clang: String, _ recipe: BuildRecipe, _ compile: CompileCommand, _ rest: [String]
    ) -> ChildCommand {
        var command = ChildCommand(
            clang,
            Self.flags(recipe.configuration) + [
                compile.usesColor ? "-fdiagnostics-color=always" : "-fno-color-diagnostics"
            ] + compile.namesInC + searchArguments(recipe) + rest,
            environment: recipe.tools.toolchain.environment)
        // The folder stands in debug information, and has a name there.
        command.folder = Path.parent(of: folder)
        return command
    }

    func searchArguments(_ recipe: BuildRecipe) -> [String] {
        ["-I", Path.parent(of: recipe.tools.sdk.header), "-I", folder] + recipe.c.clangArguments
    }
}

/// The text of a source in C, read for its words.
private struct CText {
    let bytes: [UInt8]

    /// Whether a word stands in the text outside of comments and string literals.
    func has(word: String) -> Bool {
        let word = Array(word.utf8)
        var position = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "/") where byte(position + 1) == UInt8(ascii: "/"):
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where byte(position + 1) == UInt8(ascii: "*"):
                position += 2
                while position < bytes.count,
                    bytes[position] != UInt8(ascii: "*")
                        || byte(position + 1) != UInt8(ascii: "/")
                {
                    position += 1
                }
                position += 2
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = end(ofLiteralAt: position)
            case let first where first.isPartOfWord:
                let end = bytes[position...].firstIndex { !$0.isPartOfWord } ?? bytes.count
                if bytes[position..<end].elementsEqual(word) { return true }
                position = end
            default:
                position += 1
            }
        }
        return false
    }

    /// A literal that is not closed ends with its line.
    private func end(ofLiteralAt start: Int) -> Int {
        var position = start + 1
        while let byte = byte(position), byte != bytes[start], byte != UInt8(ascii: "\n") {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return position + 1
    }

    private func byte(_ position: Int) -> UInt8? {
        bytes.indices.contains(position) ? bytes[position] : nil
    }
}
