// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON, and where.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        case byteOrderMark
        case invalidUTF8(UInt8)
        case unexpected(Found, expected: Expected)
        /// - Parameter opened: Where the array or object begins that is not closed.
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

    /// What stands where something else should stand.
    package enum Found: Hashable, Sendable {
        case character(Unicode.Scalar)
        /// Letters and digits that are neither a number nor `true`, `false` or `null`.
        case word(String)
        case end
    }

    /// What should stand there.
    package enum Expected: Hashable, Sendable {
        case value, name, colon, digit, hexDigit, endOfText
        case commaOrBrace, commaOrBracket
    }

    package var problem: Problem
    package var position: TextPosition

    package init(_ problem: Problem, at position: TextPosition) {
        self.problem = problem
        self.position = position
    }
}
