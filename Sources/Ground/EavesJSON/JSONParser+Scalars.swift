// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Parses strings and numbers.
extension JSONParser {
    /// Parses the string whose opening quote is the next byte.
    mutating func string() throws(JSONSyntaxError) -> String {
        let start = offset
        offset += 1
        var runStart = offset
        var unescaped: [UInt8] = []
        while let byte = next {
            switch byte {
            case .quote:
                let run = bytes[runStart..<offset]
                offset += 1
                if unescaped.isEmpty { return String(decoding: run, as: UTF8.self) }
                return String(decoding: unescaped + run, as: UTF8.self)
            case .backslash:
                unescaped += bytes[runStart..<offset]
                unescaped += UTF8.encode(try escape()) ?? Unicode.UTF8.encodedReplacementCharacter
                runStart = offset
            case .lineFeed, .carriageReturn:
                throw error(.unterminatedString, at: start)
            case 0x00..<0x20:
                throw error(.controlCharacter(byte), at: offset)
            case 0x20..<0x80:
                offset += 1
            default:
                guard let length = scalarLength(at: offset) else {
                    throw error(.invalidUTF8(byte), at: offset)
                }
                offset += length
            }
        }
        throw error(.unterminatedString, at: start)
    }

    /// Parses an escape, whose backslash is the next byte, and returns its character.
    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        let letter = next
        offset += 1
        switch letter {
        case .quote: return "\""
        case .backslash: return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default:
            guard let found = found(at: start + 1) else {
                throw error(.invalidUTF8(bytes[start + 1]), at: start + 1)
            }
            throw error(.unknownEscape(found), at: start)
        }
    }

    /// Parses the digits of `\uXXXX`, and a second escape if the two are a surrogate pair.
    ///
    /// - Parameter start: The offset of the backslash; ``offset`` follows the `u`.
    private mutating func unicodeEscape(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try hexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = error(.loneSurrogate(UInt16(first)), at: start)
        guard first < 0xDC00, next == .backslash, offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw lone }
        offset += 2
        let second = try hexDigits()
        guard 0xDC00..<0xE000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw lone }
        return scalar
    }

    private mutating func hexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next?.hexValue else { throw unexpected(.hexDigit) }
            value = value << 4 | digit
            offset += 1
        }
        return value
    }

    /// Parses the number that begins with the next byte.
    mutating func number() throws(JSONSyntaxError) -> JSONNode.Content {
        let start = offset
        var isInteger = true
        if next == UInt8(ascii: "-") { offset += 1 }
        let startsWithZero = next == UInt8(ascii: "0")
        let digits = try skipDigits()
        if startsWithZero && digits > 1 { throw error(.leadingZero, at: start) }
        if next == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            _ = try skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            _ = try skipDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger, let integer = Int(text), integer != 0 || text == "0" {
            return .integer(integer)
        }
        let numeral = JSONNumeral(text)
        guard numeral.real.isFinite else { throw error(.numberOutOfRange, at: start) }
        return .number(numeral)
    }

    /// Skips one or more digits and returns their number.
    private mutating func skipDigits() throws(JSONSyntaxError) -> Int {
        let start = offset
        while next?.isDigit == true { offset += 1 }
        guard offset > start else { throw unexpected(.digit) }
        return offset - start
    }
}
