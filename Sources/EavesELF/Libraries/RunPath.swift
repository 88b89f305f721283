// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A list of folders in a file, with colons between, in which `$ORIGIN` stands for the file's own.
struct RunPath {
    var folders: [String] = []
    /// Not if there are tokens in it that only the dynamic linker can replace.
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
    /// By bytes; the standard library has this for elements only.
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
