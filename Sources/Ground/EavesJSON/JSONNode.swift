// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A parsed value with its place in the text, so that messages can name the place.
package struct JSONNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number without fraction and exponent that fits into an `Int`, except `-0`.
        case integer(Int)
        case number(JSONNumeral)
        case string(String)
        case array([JSONNode])
        /// The members in the order of the text. No name occurs twice.
        case object([JSONMember])
    }

    package var content: Content
    /// The place of the value in the text. In bytes.
    package var range: Range<Int>

    /// How deep arrays and objects may be nested.
    package static let depthLimit = 128

    /// Parses a text strictly by RFC 8259: UTF-8 without byte order mark, and no extension of the
    /// grammar. Also refuses a name that occurs twice in one object, even if its letters are
    /// composed differently, and nesting deeper than ``depthLimit``.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONNode {
        var parser = JSONParser(bytes: bytes)
        return try parser.document()
    }
}

/// A number in the text of its author, which a `Double` would change.
package struct JSONNumeral: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The nearest `Double`.
    package var real: Double { Double(text) ?? .infinity }

    /// The number itself, also if it is written as `1.0` or `1e2`; `nil` if it has a fraction, or does not fit.
    package var whole: Int128? {
        let parts = text.split { $0 == "e" || $0 == "E" }
        let number = parts[0].split(separator: ".")
        guard var shift = parts.count > 1 ? Int(parts[1]) : 0 else { return nil }
        shift -= number.count > 1 ? number[1].utf8.count : 0
        var digits = number.joined()
        while shift < 0, digits.last == "0" {
            digits.removeLast()
            shift += 1
        }
        // No `Int128` has more digits.
        guard (0..<40).contains(shift) else { return nil }
        return Int128(digits + String(repeating: "0", count: shift))
    }

    /// Whether ``real`` stands for the number: no whole number becomes another one, and none becomes a whole one.
    package var isReal: Bool {
        let isPlain = !text.contains { ".eE".contains($0) }
        return Int128(exactly: real) == whole && !(isPlain && whole == nil)
    }
}

/// A member of a parsed object: a name and its value.
package struct JSONMember: Hashable, Sendable {
    package var name: String
    /// The place of the name in the text, quotes included. In bytes.
    package var nameRange: Range<Int>
    package var value: JSONNode
}

extension JSONNode {
    /// The value of an object's member; `nil` if there is no such member, or the node is not an object.
    package subscript(name: String) -> JSONNode? {
        members?.first { $0.name == name }?.value
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let flag) = content { flag } else { nil }
    }

    /// A number without a fraction, also one that is written as `1.0` or `1e2`.
    package var integer: Int? {
        switch content {
        case .integer(let number): number
        case .number(let numeral): numeral.whole.flatMap { Int(exactly: $0) }
        default: nil
        }
    }

    package var real: Double? {
        switch content {
        case .integer(let number): Double(number)
        case .number(let numeral): numeral.real
        default: nil
        }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = content { members } else { nil }
    }

    package var elements: [JSONNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The kind of value in the words of messages: `an object`.
    package var kind: String {
        switch content {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value without its places.
    package var value: JSON {
        switch content {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .number(let numeral): .number(numeral)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members):
            .object(members.map { JSON.Member(name: $0.name, value: $0.value.value) })
        }
    }
}
