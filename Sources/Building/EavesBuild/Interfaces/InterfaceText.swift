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
