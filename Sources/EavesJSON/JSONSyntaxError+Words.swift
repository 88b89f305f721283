// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesDiagnostics

extension JSONSyntaxError {
    /// What is wrong, without the place: `expected ':' after the key, found '1'`.
    package var message: String {
        switch problem {
        case .byteOrderMark:
            "the text begins with a byte order mark"
        case .invalidUTF8(let byte):
            "the text is not UTF-8: byte 0x\(String(byte, radix: 16)) cannot stand here"
        case .unexpected(let found, let expected):
            "expected \(expected.words), found \(found.words)"
        case .endOfText(let expected, let opened):
            "the text ends where \(expected.words) should stand"
                + (opened.map { "; what is open begins at \($0)" } ?? "")
        case .trailingComma:
            "a comma stands behind the last element"
        case .comment:
            "JSON has no comments"
        case .unterminatedString:
            "the string that begins here is not closed on its line"
        case .controlCharacter(let byte):
            "a string holds control character 0x\(String(byte, radix: 16)), write it as an escape"
        case .unknownEscape(let found):
            "unknown escape: \(found.words) behind '\\'"
        case .loneSurrogate(let unit):
            "\\u\(String(unit, radix: 16)) is half of a surrogate pair, the other half is missing"
        case .leadingZero:
            "a number begins with a needless 0"
        case .numberOutOfRange:
            "the number is too large"
        case .duplicateKey(let name, let first):
            "duplicate key \(name.quoted), first at \(first)"
        case .tooDeep(let limit):
            "arrays and objects are nested more than \(limit) deep"
        }
    }

    /// How to mend it.
    package var fix: String {
        switch problem {
        case .byteOrderMark: "save the file as UTF-8 without byte order mark"
        case .invalidUTF8: "save the file as UTF-8"
        case .trailingComma: "remove the comma"
        case .comment: "remove the comment"
        case .duplicateKey(let name, _): "keep one of the two \(name.quoted)"
        case .unexpected(_, let expected): "write \(expected.words) there"
        case .endOfText(_, let opened):
            opened == nil ? "write what is missing" : "close what is open, or put back what is lost"
        case .unterminatedString: "close it with a double quote"
        case .controlCharacter(let byte):
            "write \(byte == 10 ? "\\n" : "it as \\u and four digits")"
        case .unknownEscape: "write two backslashes where one is meant"
        case .loneSurrogate: "write the character itself"
        case .leadingZero: "remove the 0"
        case .numberOutOfRange: "write a smaller number"
        case .tooDeep: "nest them less deep"
        }
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The place and what is wrong: `3:14: …`.
    package var description: String { "\(position): \(message)" }
}

extension JSONSyntaxError.Expected {
    fileprivate var words: String {
        switch self {
        case .value: "a value"
        case .name: "a key in double quotes"
        case .colon: "':' after the key"
        case .digit: "a digit"
        case .hexDigit: "four hexadecimal digits"
        case .endOfText: "the end of the text"
        case .commaOrBrace: "',' or '}'"
        case .commaOrBracket: "',' or ']'"
        }
    }
}

extension JSONSyntaxError.Found {
    fileprivate var words: String {
        switch self {
        case .character("'"): "a single quote, strings stand in double quotes"
        case .character(let scalar): String(scalar).quoted
        case .word(let word):
            word.quoted
                + NearMatch.suffix(for: word, among: ["true", "false", "null"])
        case .end: "the end of the text"
        }
    }
}
