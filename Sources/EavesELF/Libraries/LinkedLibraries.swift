// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The libraries that a shared object is linked to, and the folders where it wants the dynamic
/// linker to search for them.
package struct LinkedLibraries: Hashable, Sendable {
    /// The names, in order.
    package var needed: [String]
    /// `DT_RPATH`, whose folders also hold for the libraries of these libraries.
    package var rpath: String?
    /// `DT_RUNPATH`, which makes the dynamic linker ignore every `DT_RPATH`.
    package var runpath: String?
    /// The folder that `$ORIGIN` stands for; `nil` if it is unknown.
    package var origin: String?

    /// - Parameter origin: The folder that the file is loaded from. A module is loaded from the
    ///   folder of its private copy.
    package init(_ report: BinaryReport, origin: String?) {
        needed = report.needed
        rpath = report.rpath
        runpath = report.runpath
        self.origin = origin
    }

    init(_ dynamic: ELFDynamicSection, origin: String?) {
        needed = dynamic.needed
        rpath = dynamic.rpath
        runpath = dynamic.runpath
        self.origin = origin
    }
}

/// A list of folders in an ELF file, with colons between them. `$ORIGIN` stands for the file's own
/// folder.
struct RunPath {
    var folders: [String] = []
    /// Whether every folder could be expanded. Some tokens only the dynamic linker can replace.
    var isCertain = true

    init(_ text: String?, origin: String?) {
        for folder in text?.split(separator: ":", omittingEmptySubsequences: true) ?? [] {
            var expanded = String(folder)
            if let origin {
                expanded = expanded.replacingOccurrences(of: "${ORIGIN}", with: origin)
                    .replacingOccurrences(of: "$ORIGIN", with: origin)
            }
            if expanded.contains("$") {
                isCertain = false
            } else {
                folders.append(Path.absolute(expanded))
            }
        }
    }
}

extension StringProtocol {
    /// Compares bytes: the standard library replaces elements only, and Foundation is not imported.
    fileprivate func replacingOccurrences(of token: String, with text: String) -> String {
        let (all, token) = (Array(utf8), Array(token.utf8))
        var bytes: [UInt8] = []
        var offset = 0
        while offset < all.count {
            if all[offset...].starts(with: token) {
                bytes += text.utf8
                offset += token.count
            } else {
                bytes.append(all[offset])
                offset += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
