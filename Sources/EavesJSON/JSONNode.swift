// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A parsed value that knows where it stood, so that messages can name the place.
package struct JSONNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number written without fraction and exponent that fits.
        case integer(Int)
        case number(Double)
        case string(String)
        case array([JSONNode])
        /// In the order of the text. No name occurs twice.
        case object([JSONMember])
    }

    package var content: Content
    /// Where the value stands in the text. In bytes.
    package var range: Range<Int>

    package init(_ content: Content, range: Range<Int>) {
        self.content = content
        self.range = range
    }

    /// How deep arrays and objects may stand in each other.
    package static let depthLimit = 128

    /// Reads a text as RFC 8259 has it: UTF-8 without byte order mark, and nothing beyond the
    /// grammar. A name that stands twice in one object is refused, too, also if its letters are
    /// composed in another way, and so is what lies deeper than ``depthLimit``.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONNode {
        var parser = JSONParser(bytes)
        return try parser.document()
    }
}

extension JSONNode {
    /// The value of an object's member; `nil` where there is none, or no object.
    package subscript(name: String) -> JSONNode? {
        members?.first { $0.name == name }?.value
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let flag) = content { flag } else { nil }
    }

    /// A number without a fraction, however it is written: also `1.0` and `1e2`.
    package var integer: Int? {
        switch content {
        case .integer(let number): number
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = content { members } else { nil }
    }

    package var elements: [JSONNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// What it is, for messages: `an object`.
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

    /// The value without the places.
    package var value: JSON {
        switch content {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members):
            .object(members.map { JSON.Member(name: $0.name, value: $0.value.value) })
        }
    }
}
