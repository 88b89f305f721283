// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Parses a text in one pass over its bytes, by recursive descent.
struct JSONParser {
    let bytes: [UInt8]
    /// The offset of the next byte.
    var offset = 0

    /// Parses the whole text: one value with only white space around it.
    mutating func document() throws(JSONSyntaxError) -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error(.byteOrderMark, at: 0) }
        let root = try value(depth: 0)
        try skipSpace()
        guard offset == bytes.count else { throw unexpected(.endOfText) }
        return root
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONNode {
        try skipSpace()
        let start = offset
        let content: JSONNode.Content
        switch next {
        case .quote: content = .string(try string())
        case .openBrace: content = .object(try object(depth: depth + 1))
        case .openBracket: content = .array(try array(depth: depth + 1))
        case UInt8(ascii: "t") where take("true"): content = .bool(true)
        case UInt8(ascii: "f") where take("false"): content = .bool(false)
        case UInt8(ascii: "n") where take("null"): content = .null
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): content = try number()
        default: throw unexpected(.value)
        }
        return JSONNode(content: content, range: start..<offset)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONNode] {
        let start = try open(depth: depth)
        var elements: [JSONNode] = []
        if next == .closeBracket {
            offset += 1
            return elements
        }
        repeat {
            elements.append(try value(depth: depth))
        } while try skipSeparator(or: .closeBracket, expected: .commaOrBracket, opened: start)
        return elements
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> [JSONMember] {
        let start = try open(depth: depth)
        var members: [JSONMember] = []
        if next == .closeBrace {
            offset += 1
            return members
        }
        repeat {
            guard next == .quote else { throw unexpected(.name, opened: start) }
            let nameStart = offset
            let name = try string()
            let nameRange = nameStart..<offset
            try skipSpace()
            guard next == .colon else { throw unexpected(.colon, opened: start) }
            offset += 1
            members.append(
                JSONMember(name: name, nameRange: nameRange, value: try value(depth: depth)))
        } while try skipSeparator(or: .closeBrace, expected: .commaOrBrace, opened: start)
        try refuseDuplicates(in: members)
        return members
    }

    /// Skips the bracket that opens an array or object, and the space after it.
    ///
    /// - Returns: The offset of the bracket.
    private mutating func open(depth: Int) throws(JSONSyntaxError) -> Int {
        let start = offset
        guard depth <= JSONNode.depthLimit else {
            throw error(.tooDeep(limit: JSONNode.depthLimit), at: start)
        }
        offset += 1
        try skipSpace()
        return start
    }

    /// Skips the comma or the closing bracket that follows an element.
    ///
    /// - Returns: Whether another element follows.
    private mutating func skipSeparator(
        or closing: UInt8, expected: JSONSyntaxError.Expected, opened: Int
    ) throws(JSONSyntaxError) -> Bool {
        try skipSpace()
        let separator = offset
        guard next == .comma || next == closing else { throw unexpected(expected, opened: opened) }
        let isComma = next == .comma
        offset += 1
        guard isComma else { return false }
        try skipSpace()
        if next == closing { throw error(.trailingComma, at: separator) }
        return true
    }

    private func refuseDuplicates(in members: [JSONMember]) throws(JSONSyntaxError) {
        var seen = Set<String>(minimumCapacity: members.count)
        for member in members where !seen.insert(member.name).inserted {
            let earlier = members.first { $0.name == member.name } ?? member
            let first = position(of: earlier.nameRange.lowerBound)
            throw error(
                .duplicateKey(member.name, first: first), at: member.nameRange.lowerBound)
        }
    }
}

/// Reads single bytes, and makes the errors for unexpected ones.
extension JSONParser {
    /// The next byte; `nil` at the end of the text.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Skips white space. Throws at a comment.
    mutating func skipSpace() throws(JSONSyntaxError) {
        while offset < bytes.count, bytes[offset].isSpace { offset += 1 }
        if next == UInt8(ascii: "/"), offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "/") || bytes[offset + 1] == UInt8(ascii: "*")
        {
            throw error(.comment, at: offset)
        }
    }

    /// Skips a word if it comes next as a whole word.
    mutating func take(_ word: StaticString) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let isNext = word.withUTF8Buffer { $0.elementsEqual(bytes[offset..<end]) }
        guard isNext, end == bytes.count || !bytes[end].isWordCharacter else { return false }
        offset = end
        return true
    }

    func error(_ problem: JSONSyntaxError.Problem, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, position: position(of: offset))
    }

    func position(of offset: Int) -> TextPosition { TextLines(bytes).position(of: offset) }

    /// Returns the error for an unexpected byte at ``offset``.
    ///
    /// - Parameter opened: The offset of the innermost bracket that is open.
    func unexpected(
        _ expected: JSONSyntaxError.Expected, opened: Int? = nil
    ) -> JSONSyntaxError {
        switch found(at: offset) {
        case nil: error(.invalidUTF8(bytes[offset]), at: offset)
        case .end?:
            error(.endOfText(expected: expected, opened: opened.map(position)), at: offset)
        case let found?: error(.unexpected(found, expected: expected), at: offset)
        }
    }

    /// Returns what stands at an offset, for messages; `nil` if it is not UTF-8.
    func found(at offset: Int) -> JSONSyntaxError.Found? {
        guard offset < bytes.count else { return .end }
        guard let length = scalarLength(at: offset) else { return nil }
        let word = bytes[offset...].prefix(24).prefix(while: \.isWordCharacter)
        if word.count > 1 { return .word(String(decoding: word, as: UTF8.self)) }
        let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        return text.unicodeScalars.first.map { .character($0) }
    }

    /// Returns the length of the UTF-8 sequence at an offset, which must lie inside the text; `nil`
    /// if the sequence is not valid (Unicode 16, table 3-7: no overlong forms, no surrogates).
    func scalarLength(at offset: Int) -> Int? {
        let first = bytes[offset]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        default: return nil
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        let rest = bytes[offset + 2..<offset + length]
        return rest.allSatisfy { $0 & 0xC0 == 0x80 } ? length : nil
    }
}

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
}

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
        let lone = JSONSyntaxError.Problem.loneSurrogate(UInt16(first))
        guard first < 0xDC00, next == .backslash, offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw error(lone, at: start) }
        offset += 2
        let second = try hexDigits()
        guard 0xDC00..<0xE000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error(lone, at: start) }
        return scalar
    }

    private mutating func hexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw unexpected(.hexDigit)
            }
            value = value << 4 | UInt32(digit)
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

    private mutating func skipDigits() throws(JSONSyntaxError) -> Int {
        let start = offset
        while next?.isDigit == true { offset += 1 }
        guard offset > start else { throw unexpected(.digit) }
        return offset - start
    }
}
