// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesDiagnostics

/// Tells why and where a text is not JSON.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        case byteOrderMark
        case invalidUTF8(UInt8)
        case unexpected(Found, expected: Expected)
        /// - Parameter opened: The place of the bracket that is not closed.
        case endOfText(expected: Expected, opened: TextPosition?)
        case trailingComma
        case comment
        case unterminatedString
        case controlCharacter(UInt8)
        case unknownEscape(Found)
        case loneSurrogate(UInt16)
        case leadingZero
        case numberOutOfRange
        case duplicateKey(String, first: TextPosition)
        case tooDeep(limit: Int)
    }

    /// The text that stands in place of the expected one.
    package enum Found: Hashable, Sendable {
        case character(Unicode.Scalar)
        /// Letters and digits other than a number, `true`, `false` or `null`.
        case word(String)
        case end
    }

    /// The element that the grammar expects, in words.
    package enum Expected: String, Hashable, Sendable {
        case value = "a value"
        case name = "a key in double quotes"
        case colon = "':' after the key"
        case digit = "a digit"
        case hexDigit = "four hexadecimal digits"
        case endOfText = "the end of the text"
        case commaOrBrace = "',' or '}'"
        case commaOrBracket = "',' or ']'"
    }

    package var problem: Problem
    package var position: TextPosition
}

extension JSONSyntaxError {
    /// The message without the place: `expected ':' after the key, found '1'`.
    package var message: String {
        switch problem {
        case .byteOrderMark:
            "the text begins with a byte order mark"
        case .invalidUTF8(let byte):
            "the text is not UTF-8: byte 0x\(String(byte, radix: 16)) is not allowed here"
        case .unexpected(let found, let expected):
            "expected \(expected.rawValue), found \(found.words)"
        case .endOfText(let expected, let opened):
            "expected \(expected.rawValue), found the end of the text"
                + (opened.map { "; the bracket at \($0) is not closed" } ?? "")
        case .trailingComma:
            "a comma follows the last element"
        case .comment:
            "JSON has no comments"
        case .unterminatedString:
            "the string that begins here is not closed on its line"
        case .controlCharacter(let byte):
            "a string contains the control character 0x\(String(byte, radix: 16))"
        case .unknownEscape(let found):
            "unknown escape: \(found.words) after '\\'"
        case .loneSurrogate(let unit):
            "\\u\(String(unit, radix: 16)) is half of a surrogate pair; the other half is missing"
        case .leadingZero:
            "a number has a leading 0"
        case .numberOutOfRange:
            "the number is too large"
        case .duplicateKey(let name, let first):
            "duplicate key \(name.quoted), first at \(first)"
        case .tooDeep(let limit):
            "arrays and objects are nested more than \(limit) deep"
        }
    }

    package var fix: String {
        switch problem {
        case .byteOrderMark: "save the file as UTF-8 without byte order mark"
        case .invalidUTF8: "save the file as UTF-8"
        case .trailingComma: "remove the comma"
        case .comment: "remove the comment"
        case .duplicateKey(let name, _): "keep one of the two \(name.quoted)"
        case .unexpected(_, let expected): "write \(expected.rawValue) there"
        case .endOfText(_, let opened):
            opened == nil ? "write the missing part" : "close the bracket, or restore the lost part"
        case .unterminatedString: "close the string with a double quote"
        case .controlCharacter(let byte):
            byte == 9 ? "write it as \\t" : "write it as \\u and four digits"
        case .unknownEscape: "write a backslash as two backslashes"
        case .loneSurrogate: "write the character itself"
        case .leadingZero: "remove the 0"
        case .numberOutOfRange: "write a smaller number"
        case .tooDeep: "use less nesting"
        }
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The place and the message: `3:14: …`.
    package var description: String { "\(position): \(message)" }
}

extension JSONSyntaxError.Found {
    fileprivate var words: String {
        switch self {
        case .character("'"): "a single quote; strings need double quotes"
        case .character(let scalar): String(scalar).quoted
        case .word(let word):
            word.quoted
                + NearMatch.suffix(for: word, among: ["true", "false", "null"])
        case .end: "the end of the text"
        }
    }
}

/// A place in a text. Lines and columns count from 1, as in editors.
package struct TextPosition: Hashable, Sendable {
    package var line: Int
    /// In Unicode scalars.
    package var column: Int

    package static let start = TextPosition(line: 1, column: 1)
}

extension TextPosition: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension TextPosition: CustomStringConvertible {
    /// The place as compilers write it: `3:14`.
    package var description: String { "\(line):\(column)" }
}

/// An index of the lines of a text, for finding many places without reading the text again.
package struct TextLines: Sendable {
    private struct Mark {
        let offset: Int
        let position: TextPosition
    }

    /// The largest distance between two marks. A line may be as long as the text.
    private static let stride = 1024

    private let bytes: [UInt8]
    /// The beginning of each line, and within long lines a mark after each ``stride``.
    private let marks: [Mark]

    /// - Parameter bytes: The text in UTF-8, with lines that end in LF or CRLF.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = TextPosition.start
        var marks = [Mark(offset: 0, position: position)]
        for offset in bytes.indices {
            if bytes[offset] == .lineFeed {
                position = TextPosition(line: position.line + 1, column: 1)
                marks.append(Mark(offset: offset + 1, position: position))
            } else {
                position.column += bytes[offset].beginsScalar ? 1 : 0
                if offset + 1 - marks[marks.count - 1].offset == Self.stride {
                    marks.append(Mark(offset: offset + 1, position: position))
                }
            }
        }
        self.marks = marks
    }

    /// Finds the place of a byte. An offset outside the text means the nearer end of the text.
    package func position(of offset: Int) -> TextPosition {
        let offset = min(max(offset, 0), bytes.count)
        var (low, high) = (0, marks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        var position = marks[low].position
        position.column += bytes[marks[low].offset..<offset].count(where: \.beginsScalar)
        return position
    }
}
