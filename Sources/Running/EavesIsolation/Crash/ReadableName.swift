// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// Makes a demangled name readable: it removes the file's digest from private functions, the build's digest from the
/// module's name, and the words for a part of a function that goes on after it has awaited something.
///
/// Written by hand, because a regular expression would make every start of the command load two
/// libraries.
struct ReadableName {
    private var rest: ArraySlice<UInt8>
    private var kept: [UInt8] = []

    package static func of(_ name: String) -> String {
        // Such as `(1) suspend resume partial function for`.
        let part = name.hasPrefix("(") ? name.part(after: " resume partial function for ") : nil
        var reading = ReadableName(rest: Array((part ?? name[...]).utf8)[...])
        while !reading.rest.isEmpty { reading.step() }
        return String(decoding: reading.kept, as: UTF8.self)
    }

    private init(rest: ArraySlice<UInt8>) {
        self.rest = rest
    }

    private mutating func step() {
        if let (name, length) = privateName() {
            kept += name
            rest = rest.dropFirst(length)
        } else if startsWithDigest {
            rest = rest.dropFirst(Self.digestLength)
        } else {
            kept.append(rest.removeFirst())
        }
    }

    /// `color` of `(color in _0123456789ABCDEF0123456789ABCDEF)`, and the length of the whole.
    private func privateName() -> (name: ArraySlice<UInt8>, length: Int)? {
        guard rest.first == UInt8(ascii: "(") else { return nil }
        let name = rest.dropFirst().prefix(while: Self.isOfWord)
        let file = rest[name.endIndex...]
        let introduction = Array(" in _".utf8)
        let digits = file.dropFirst(introduction.count).prefix(while: Self.isUppercaseDigit)
        guard !name.isEmpty, file.starts(with: introduction), digits.count == 32,
            rest[digits.endIndex...].first == UInt8(ascii: ")")
        else { return nil }
        return (name, digits.endIndex + 1 - rest.startIndex)
    }

    /// Whether the build's digest comes next and is not a part of a longer word.
    private var startsWithDigest: Bool {
        guard rest.first == UInt8(ascii: "_"),
            rest.dropFirst().prefix(Self.digestLength - 1).count(where: Self.isLowercaseDigit)
                == Self.digestLength - 1
        else { return false }
        return rest.dropFirst(Self.digestLength).first.map { !Self.isAlphanumeric($0) } ?? true
    }

    /// Includes the underscore before the digits.
    private static let digestLength = 13

    private static func isDecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isUppercaseDigit(_ byte: UInt8) -> Bool {
        isDecimal(byte) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }

    private static func isLowercaseDigit(_ byte: UInt8) -> Bool {
        isDecimal(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDecimal(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// Any character beyond ASCII counts, because operators do not stand in parentheses.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
