// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A C header, for the numbers it defines.
struct CHeader {
    private let path: String
    private let numbers: [String: Int]

    /// Goes over bytes, line by line: characters would cost it many times that.
    init(_ path: String) throws(BuildError) {
        self.path = path
        var rest: ArraySlice<UInt8>
        do throws(SystemError) {
            rest = try Files.read(path)[...]
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
        var numbers: [String: Int] = [:]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            if rest.first == UInt8(ascii: "#") {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                let words = line.split(whereSeparator: \.isWhitespace)
                if words.count >= 3, words[0] == "#define", let number = Int(words[2]) {
                    numbers[String(words[1])] = number
                }
            }
            rest = rest[end...].dropFirst()
        }
        self.numbers = numbers
    }

    /// The number behind `#define NAME`.
    func number(of name: String) throws(BuildError) -> Int {
        guard let number = numbers[name] else {
            throw BuildError("eaves", .damagedSDK(path: path, missing: name))
        }
        return number
    }
}
