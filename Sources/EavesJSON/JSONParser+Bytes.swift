// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Looking at single bytes, and what to say when they are not the right ones.
extension JSONParser {
    /// The next byte; `nil` at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skipSpace() throws(JSONSyntaxError) {
        while offset < bytes.count, bytes[offset].isSpace { offset += 1 }
        if next == UInt8(ascii: "/"), offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "/") || bytes[offset + 1] == UInt8(ascii: "*")
        {
            throw failure(.comment, at: offset)
        }
    }

    /// Steps behind a word if it stands here, whole.
    mutating func take(_ word: StaticString) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let isHere = word.withUTF8Buffer { $0.elementsEqual(bytes[offset..<end]) }
        guard isHere, end == bytes.count || !bytes[end].isWordCharacter else { return false }
        offset = end
        return true
    }

    func failure(_ problem: JSONSyntaxError.Problem, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(problem, at: TextPosition(offset: offset, in: bytes))
    }

    /// The error for what stands at ``offset``.
    func unexpected(
        _ expected: JSONSyntaxError.Expected, opened: Int? = nil
    ) -> JSONSyntaxError {
        switch found(at: offset) {
        case nil: failure(.invalidUTF8(bytes[offset]), at: offset)
        case .end?:
            failure(
                .endOfText(
                    expected: expected, opened: opened.map { TextPosition(offset: $0, in: bytes) }),
                at: offset)
        case let found?: failure(.unexpected(found, expected: expected), at: offset)
        }
    }

    /// What stands at a place, for messages; `nil` where it is not UTF-8.
    func found(at offset: Int) -> JSONSyntaxError.Found? {
        guard offset < bytes.count else { return .end }
        guard let length = scalarLength(at: offset) else { return nil }
        let word = bytes[offset...].prefix(24).prefix(while: \.isWordCharacter)
        if word.count > 1 { return .word(String(decoding: word, as: UTF8.self)) }
        let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        return text.unicodeScalars.first.map { .character($0) }
    }

    /// The length of the UTF-8 sequence at a place, which must lie inside the text; `nil` if it is
    /// not a valid one (Unicode 16, table 3-7: no overlong forms, no surrogates).
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
