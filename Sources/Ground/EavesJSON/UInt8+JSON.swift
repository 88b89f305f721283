// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The bytes that have a meaning in JSON.
extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    var isSpace: Bool {
        self == .space || self == .lineFeed || self == .carriageReturn || self == UInt8(ascii: "\t")
    }

    var isWordCharacter: Bool {
        isDigit || self == UInt8(ascii: "_")
            || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z"))
    }

    /// Whether the byte is an ASCII character that needs no escape in a string.
    package var needsNoJSONEscape: Bool {
        self >= .space && self < 0x7F && self != .quote && self != .backslash
    }

    /// Whether the byte is the first one of a Unicode scalar in UTF-8.
    var beginsScalar: Bool { self & 0xC0 != 0x80 }

    /// The value of a hexadecimal digit; `nil` for other bytes.
    var hexValue: UInt32? {
        if isDigit { return UInt32(self - UInt8(ascii: "0")) }
        let letter = self | 0x20
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") else { return nil }
        return UInt32(letter - UInt8(ascii: "a")) + 10
    }
}

extension Sequence<UInt8> {
    /// The number of Unicode scalars that begin in these bytes.
    var countOfScalars: Int { reduce(0) { $0 + ($1.beginsScalar ? 1 : 0) } }
}
