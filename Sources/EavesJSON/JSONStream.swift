// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a long text piece by piece, without making a ``JSON`` of it first. It looks as
/// `JSON.text(pretty: true)` does.
///
/// The caller gives each member of an object a name, and each element of an array none.
package struct JSONStream {
    private var writer = JSONWriter(layout: .pretty)
    private var depth = 0
    /// Whether nothing stands yet in what is open.
    private var isFirst = true

    /// - Parameter capacity: About how many bytes will be written. Memory that is outgrown costs more
    ///   than what is written into it.
    package init(capacity: Int = 0) {
        writer.reserve(capacity)
    }

    /// What was written, with a line break at its end.
    package consuming func text() -> [UInt8] {
        writer.raw(.lineFeed)
        return writer.bytes
    }

    package mutating func object(
        _ name: StaticString? = nil, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        try within(name, .openBrace, .closeBrace, body)
    }

    package mutating func array(
        _ name: StaticString? = nil, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        try within(name, .openBracket, .closeBracket, body)
    }

    /// A string, or `null`.
    package mutating func string(_ name: StaticString?, _ text: String?) {
        begin(name)
        if let text { writer.write(text) } else { writer.raw("null") }
    }

    /// A value of any kind.
    package mutating func value(_ name: StaticString?, _ value: JSON) {
        begin(name)
        writer.write(value)
    }

    /// A member whose name is not known before.
    package mutating func member(_ name: String, _ text: String) {
        begin(nil)
        writer.write(name)
        writer.raw(": ")
        writer.write(text)
    }

    private mutating func within(
        _ name: StaticString?, _ opening: UInt8, _ closing: UInt8,
        _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        begin(name)
        writer.raw(opening)
        depth += 1
        isFirst = true
        try body(&self)
        depth -= 1
        if !isFirst { writer.breakLine(depth: depth) }
        writer.raw(closing)
        isFirst = false
    }

    private mutating func begin(_ name: StaticString?) {
        if depth > 0 {
            if !isFirst { writer.raw(.comma) }
            writer.breakLine(depth: depth)
        }
        isFirst = false
        guard let name else { return }
        writer.raw(.quote)
        writer.raw(name)
        writer.raw("\": ")
    }
}
