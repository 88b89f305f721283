// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
