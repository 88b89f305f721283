// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The textual interface of a Swift module: all that the compiler has to see of it.
struct InterfaceText: Hashable, Sendable {
    /// The whole text, with the header that ``InterfaceHeader`` allows.
    let bytes: [UInt8]

    /// - Parameter bytes: The text as a compiler wrote it, or as it is in a file that anybody may have made.
    init(_ bytes: [UInt8]) {
        self.bytes = InterfaceHeader.rewritten(bytes)
    }

    /// The text without its comments, which only tell how it was made: the same for all bodies and for
    /// both configurations.
    var content: [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return Array(
            lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8))
    }

    /// The modules that the text imports, without those that the compiler imports by itself.
    var imports: [String] {
        let own: Set = ["Swift", "SwiftOnoneSupport"]
        let prefix = InterfaceHeader.alias(of: "")
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.endIndex,
                words[..<place].allSatisfy({ $0 == "public" || $0.hasPrefix("@") })
            else { return nil }
            let word = String(words[place + 1])
            let name = word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : word
            return name.hasPrefix("_") || own.contains(name) ? nil : name
        }
    }

    /// The SHA-256 of the whole text.
    var digest: String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize().hex
    }

    /// The names of the public protocols, with the names of the types around them. Sorted.
    ///
    /// - Parameter module: The name of the Swift module, which stands before the names of types that
    ///   the text extends.
    func protocols(of module: String) -> [String] {
        // Older texts name the module without the compiler's alias.
        let prefixes = ["\(InterfaceHeader.alias(of: module)).", "\(module)."]
        let names = SwiftDeclarations(bytes).publicProtocols.map { name in
            let bare = name.filter { $0 != "`" }
            let prefix = prefixes.first(where: bare.hasPrefix) ?? ""
            return String(bare.dropFirst(prefix.count))
        }
        return Set(names).sorted()
    }
}
