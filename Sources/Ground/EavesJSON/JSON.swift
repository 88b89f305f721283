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
    /// Infinities and NaN, which JSON does not have, are written as `null`.
    case number(Double)
    case string(String)
    case array([JSON])
    /// The members are written as they are: the caller makes sure that no name occurs twice.
    case object([Member])

    /// Returns a string, or `null` for none.
    package static func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

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

extension JSON {
    /// The value of an object's member; `nil` if there is no such member, or the value is not
    /// an object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSON: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .integer(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    package init(floatLiteral value: Double) { self = .number(value) }
}

extension JSON: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
