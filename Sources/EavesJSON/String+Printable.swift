// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Texts that may come from anybody's file, as messages and lists show them.

extension String {
    /// The text in single quotes, as messages show texts that may come from anybody's file: on one
    /// line, without control characters, and shortened if it is very long.
    package var quoted: String {
        let limit = 120
        let shown = unicodeScalars.prefix(limit).map(Self.escaped)
        return "'" + shown.joined() + (unicodeScalars.count > limit ? "…'" : "'")
    }

    /// The text without control characters: unchanged if it has none, else escaped, however long it
    /// is.
    package var escaped: String {
        isOneLine ? self : unicodeScalars.map(Self.escaped).joined()
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }

    /// The text as messages and lists show it: unchanged if it is one line without control
    /// characters, else escaped and shortened. File names can contain any byte.
    package var printable: String {
        !isEmpty && isOneLine ? self : String(quoted.dropFirst().dropLast())
    }

    /// Whether the text is one line without control characters, so that printing it cannot move the
    /// cursor, colour the terminal or reverse the direction of the text that follows.
    package var isOneLine: Bool {
        unicodeScalars.allSatisfy { scalar in
            // ASCII needs no table of Unicode, and nearly all text is ASCII.
            if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return false
            // The joiner is part of emoji; other format characters change the direction of text.
            case .format: return scalar == "\u{200d}"
            default: return true
            }
        }
    }
}
