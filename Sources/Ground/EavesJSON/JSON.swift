// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON value. Objects keep the order of their members.
package enum JSON: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    case integer(Int)
    /// A number as its author wrote it. An ``integer(_:)`` is written in one way only.
    case number(JSONNumeral)
    case string(String)
    case array([JSON])
    /// The members are written as they are: the caller makes sure that no name occurs twice.
    case object([Member])

    /// Returns a number, or `null` for infinities and NaN, which JSON does not have.
    package static func number(_ value: Double) -> JSON {
        value.isFinite ? .number(JSONNumeral("\(value)")) : .null
    }

    /// Returns a string, or `null` for none.
    package static func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    package static func texts(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }

    /// Returns an object of the members that have a value.
    package static func object(present members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(Self.members(present: members))
    }

    package static func members(present members: KeyValuePairs<String, JSON?>) -> [Member] {
        members.compactMap { name, value in value.map { Member(name: name, value: $0) } }
    }

    /// Returns the value as text, without a line break at the end.
    ///
    /// - Parameter pretty: Whether to write one element per line, indented by two spaces, as `jq`
    ///   does. Otherwise the text is one line without any space.
    package func text(pretty: Bool) -> String {
        var writer = JSONWriter(layout: pretty ? .pretty : .compact)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = JSON.number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

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
        case .number(let numeral): bytes += numeral.text.utf8
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
        // Most texts need no escape.
        let isWritten: Bool? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.allSatisfy(\.needsNoJSONEscape) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isWritten != true { writeEscaped(text) }
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
