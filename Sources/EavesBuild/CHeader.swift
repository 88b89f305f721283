// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A C header, for the numbers it defines.
struct CHeader {
    private let path: String
    private let text: String

    init(_ path: String) throws(BuildError) {
        self.path = path
        do throws(SystemError) {
            text = String(decoding: try Files.read(path), as: UTF8.self)
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
    }

    /// The number behind `#define NAME`.
    func number(of name: String) throws(BuildError) -> Int {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count >= 3, words[0] == "#define", words[1] == name,
                let number = Int(words[2])
            {
                return number
            }
        }
        throw BuildError("eaves", .damagedSDK(path: path, missing: name))
    }
}
