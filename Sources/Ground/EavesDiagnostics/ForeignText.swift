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
        default: return keptByte == nil
        }
    }
}

// Messages stay short, however long the texts and lists are that they are about.

extension String {
    /// The text in single quotes, as messages show texts that may come from anybody's file: shortened if
    /// it is very long. The code that prints the message escapes its control characters.
    package var quoted: String {
        let limit = 120
        guard utf8.count > limit, unicodeScalars.count > limit else { return "'\(self)'" }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: unicodeScalars.prefix(limit))
        return "'\(String(shown))…'"
    }
}

extension Array {
    /// The first hundred, and one that stands for all others. A person reads no more, and the words for each take time.
    ///
    /// - Parameter further: A function that makes the element which stands for the others, from their number.
    package func abridged(_ further: (Int) -> Element) -> [Element] {
        let limit = 100
        return count <= limit ? self : prefix(limit) + [further(count - limit)]
    }
}

extension Collection<String> {
    /// Joins the first few texts, and says how many more there are, so that a message stays short however
    /// many modules it is about: `a, b, c, d, e and 9995 more`.
    package func abridged(by separator: String, limit: Int = 5) -> String {
        let shown = prefix(limit).joined(separator: separator)
        return count <= limit ? shown : "\(shown) and \(count - limit) more"
    }

    /// Joins the first few texts as alternatives: `a or b or c or one of 9997 others`.
    package func abridgedChoice(limit: Int = 3) -> String {
        // One more is no longer than the words for it.
        if count <= limit + 1 { return joined(separator: " or ") }
        let shown = prefix(limit).joined(separator: " or ")
        return "\(shown) or one of \(count - limit) others"
    }
}

// Arguments, environment variables and lines of input need not be UTF-8. Swift's own conversions replace what is not, so that
// two names of files become one. Here a text keeps such a byte as one of the last 128 private characters of Unicode. Where
// the system has such a character itself, the text keeps the bytes of that, so a text stands for one sequence of bytes only.

extension String {
    /// Creates a text of the bytes of the system, which keeps each of them.
    package init(keeping bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self), !text.keepsBytes {
            self = text
            return
        }
        var scalars = UnicodeScalarView()
        var rest = bytes[...]
        while !rest.isEmpty {
            var (decoder, ahead) = (UTF8(), rest.makeIterator())
            if case .scalarValue(let scalar) = decoder.decode(&ahead), scalar.keptByte == nil {
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                scalars.append(Unicode.Scalar(keeping: rest.removeFirst()))
            }
        }
        self.init(scalars)
    }

    /// Whether the text has bytes that are not UTF-8.
    package var keepsBytes: Bool {
        // The first byte of the characters that stand for bytes. Nearly no text has it.
        utf8.contains(0xF4) && unicodeScalars.contains { $0.keptByte != nil }
    }

    /// The bytes that the text was made of.
    package var keptBytes: [UInt8] {
        guard keepsBytes else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in
            scalar.keptByte.map { [$0] } ?? Array(String(scalar).utf8)
        }
    }
}

extension Unicode.Scalar {
    /// The character that stands for a byte which is not UTF-8, and so not ASCII.
    fileprivate init(keeping byte: UInt8) {
        self = Self(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
    }

    /// The byte that the character stands for; `nil` if it stands for itself.
    var keptByte: UInt8? {
        value >= 0x10FF80 ? UInt8(truncatingIfNeeded: value) : nil
    }

    /// The character in ASCII, as messages show one that is not harmless: `\u{1b}`, or `\xe9` for a byte.
    package var escape: String {
        keptByte.map { "\\x" + String($0, radix: 16) } ?? "\\u{\(String(value, radix: 16))}"
    }
}
