// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Texts that come from a module, a tool or anybody's file.

extension String {
    /// Whether the text is one line without control characters, so that printing it cannot move the
    /// cursor, colour the terminal or reverse the direction of the text that follows.
    package var isOneLine: Bool { unicodeScalars.allSatisfy(\.isHarmless) }

    /// The text with two spaces before each line after the first, as a text of several lines stands in a
    /// message: the command prints such lines, and escapes any other line break.
    package var indented: String {
        guard utf8.contains(UInt8(ascii: "\n")) else { return self }
        var lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String($0) }.joined(separator: "\n  ")
    }
}

extension Unicode.Scalar {
    /// Whether printing the character shows it, and does nothing else.
    package var isHarmless: Bool {
        // ASCII needs no table of Unicode, and nearly all text is ASCII.
        if isASCII { return value >= 0x20 && value != 0x7f }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        // The joiner is part of emoji; other format characters change the direction of text.
        case .format: return self == "\u{200d}"
        default: return true
        }
    }
}
