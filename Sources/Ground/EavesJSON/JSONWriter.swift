// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes JSON values as bytes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let layout: JSONLayout
    private var depth = 0

    init(layout: JSONLayout) {
        self.layout = layout
    }

    mutating func write(_ value: JSON) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
        case .string(let text): write(text)
        case .array(let elements):
            write(elements, between: .openBracket, .closeBracket, padding: []) {
                $0.write($1)
            }
        case .object(let members):
            write(members, between: .openBrace, .closeBrace, padding: layout.padding) {
                $0.write($1)
            }
        }
    }

    /// Writes a comma and a member that follows another one.
    mutating func writeFollowing(_ member: JSON.Member) {
        bytes.append(.comma)
        breakLine(or: layout.gap)
        write(member)
    }

    private mutating func write(_ member: JSON.Member) {
        write(member.name)
        bytes += layout.colon
        write(member.value)
    }

    private mutating func write<Element>(
        _ elements: [Element], between opening: UInt8, _ closing: UInt8, padding: [UInt8],
        each body: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(opening)
        depth += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(.comma) }
            breakLine(or: index > 0 ? layout.gap : padding)
            body(&self, element)
        }
        depth -= 1
        if !elements.isEmpty { breakLine(or: padding) }
        bytes.append(closing)
    }

    private mutating func breakLine(or space: [UInt8]) {
        guard let lineBreak = layout.lineBreak else {
            bytes += space
            return
        }
        bytes += lineBreak
        bytes += layout.indentation
        for _ in 0..<depth { bytes += layout.unit }
    }

    /// Writes a string in quotes. Escapes all control characters, also those that JSON would allow,
    /// so that no data can control a terminal.
    mutating func write(_ text: String) {
        bytes.append(.quote)
        if !text.withBytesIfNoneNeedsEscape({ bytes.append(contentsOf: $0) }) { writeEscaped(text) }
        bytes.append(.quote)
    }

    private mutating func writeEscaped(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += #"\""#.utf8
            case "\\": bytes += #"\\"#.utf8
            case "\u{8}": bytes += #"\b"#.utf8
            case "\u{C}": bytes += #"\f"#.utf8
            case "\n": bytes += #"\n"#.utf8
            case "\r": bytes += #"\r"#.utf8
            case "\t": bytes += #"\t"#.utf8
            case "\0"..<" ", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                bytes += #"\u"#.utf8
                bytes += String(repeating: "0", count: 4 - digits.utf8.count).utf8
                bytes += digits.utf8
            default: bytes += UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter
            }
        }
    }
}

/// The white space that a writer puts between values.
struct JSONLayout {
    /// The characters between two lines, without indentation; `nil` to write a single line.
    var lineBreak: [UInt8]?
    /// One step of indentation.
    var unit: [UInt8] = []
    /// The indentation of the line on which the value begins.
    var indentation: [UInt8] = []
    /// The text between a name and its value.
    var colon: [UInt8] = [.colon]
    /// The space after a comma on a single line.
    var gap: [UInt8] = []
    /// The space inside the braces of an object on a single line.
    var padding: [UInt8] = []

    static let compact = JSONLayout()
    static let pretty = JSONLayout(
        lineBreak: [.lineFeed], unit: [.space, .space], colon: [.colon, .space])
}

extension String {
    /// Calls `body` with the bytes of the text if none of them needs an escape, as in most texts.
    ///
    /// - Parameter body: Must not keep the pointer.
    /// - Returns: Whether `body` was called.
    func withBytesIfNoneNeedsEscape(_ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.allSatisfy(\.needsNoJSONEscape) else { return false }
            body(bytes)
            return true
        } ?? false
    }
}
