// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes values as bytes.
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

    /// A member behind another one, with the comma between them.
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

    /// A string in quotes. All control characters are escaped, also those that JSON would allow, so
    /// that nobody's data steers a terminal.
    mutating func write(_ text: String) {
        bytes.append(.quote)
        if !text.withPlainJSON({ bytes.append(contentsOf: $0) }) { writeEscaped(text) }
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
