// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The arguments with which one Swift target of a package finds what it imports: folders, the module maps of targets in C
/// at any depth, and the language that these are read as.
///
/// They are those of the command line by which SwiftPM compiles the target. So another source that is compiled with
/// them can import the target, and everything that the target's binary interface refers to: a module of C among these
/// is found by its map alone.
package struct TargetImports {
    package let arguments: [String]

    package var moduleMaps: [String] {
        let option = "-fmodule-map-file="
        return arguments.filter { $0.hasPrefix(option) }.map { String($0.dropFirst(option.count)) }
    }

    /// Reads the list of commands that SwiftPM writes before it builds, `debug.yaml` or `release.yaml`.
    ///
    /// - Returns: `nil` if none of them compiles the target.
    package init?(of module: String, inCommands text: [UInt8]) {
        let command = PackageCommands(text: text).first(naming: module) { command in
            // A target that a macro or a plugin needs as well is compiled a second time, into another folder.
            let folder = command.value(of: "-emit-module-path").map { Path.parent(of: $0) }
            return command.value(of: "-module-name") == module
                && folder.map(Path.name) == "Modules"
        }
        guard let command else { return nil }
        var found: [String] = []
        var rest = command.dropFirst()
        while let word = rest.popFirst() {
            if Self.options.contains(word), let value = rest.popFirst() {
                found += [word, value]
            } else if Self.prefixes.contains(where: word.hasPrefix) {
                found.append(word)
            }
        }
        arguments = found
    }

    /// The options that decide what an `import` finds, each followed by its value.
    private static let options: Set<String> = [
        "-F", "-Fsystem", "-I", "-Isystem", "-Xcc", "-module-cache-path", "-package-name",
        "-resource-dir", "-sdk", "-target", "-vfsoverlay",
    ]

    /// The beginnings of those that have their value in the same word. A module that was compiled for C++ can be
    /// imported only for C++.
    private static let prefixes = ["-I/", "-F/", "-cxx-interoperability-mode="]
}

/// The command lines in the list that SwiftPM writes before it builds.
package struct PackageCommands {
    private let text: [UInt8]

    package init(text: [UInt8]) { self.text = text }

    /// The arguments by which SwiftPM links a dynamic library, without the run path that it gives it; `nil` if none does.
    ///
    /// - Parameter library: The name of the file.
    package func linking(_ library: String) -> [String]? {
        var command = first(naming: "-emit-library") {
            $0.value(of: "-o").map(Path.name) == library
        }
        if let place = command?.firstIndex(of: "-rpath=$ORIGIN"), place > 0 {
            command?.removeSubrange((place - 1)...place)
        }
        return command.map { Array($0.dropFirst()) }
    }

    fileprivate func first(naming word: String, where isRight: ([String]) -> Bool) -> [String]? {
        let mark = "\"\(word)\""
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // A list in JSON follows the word.
            let words = line.drop { $0 == UInt8(ascii: " ") }
            guard words.starts(with: "args: [".utf8),
                String(decoding: words, as: UTF8.self).includes(mark),
                let elements = try? JSONNode.parse(Array(words.dropFirst(6))).elements
            else { continue }
            let command = elements.compactMap(\.string)
            if isRight(command) { return command }
        }
        return nil
    }
}

extension [String] {
    /// The word after an option of a command line.
    package func value(of option: String) -> String? {
        lastIndex(of: option).flatMap { $0 + 1 < endIndex ? self[$0 + 1] : nil }
    }
}
