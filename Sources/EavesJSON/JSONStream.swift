// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a long text piece by piece, without making a ``JSON`` of it first, and hands it on whenever
/// there is much of it. It looks as `JSON.text(pretty: true)` does.
///
/// The caller gives each member of an object a name, and each element of an array none.
package struct JSONStream: ~Copyable {
    private var buffer: JSONBuffer
    private var depth = 0
    /// Whether nothing stands yet in what is open.
    private var isFirst = true

    /// - Parameter sink: Takes what was written, and must not keep the pointer.
    package init(into sink: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
        buffer = JSONBuffer(sink)
    }

    /// Ends the text with a line break, and hands on the rest.
    package consuming func finish() {
        buffer.add(.lineFeed)
        buffer.drain()
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
        if let text { write(text) } else { buffer.add("null") }
    }

    /// A value of any kind.
    package mutating func value(_ name: StaticString?, _ value: JSON) {
        begin(name)
        var writer = JSONWriter(layout: .pretty)
        writer.write(value)
        buffer.add(writer.bytes.span)
    }

    /// A member whose name is not known before.
    package mutating func member(_ name: String, _ text: String) {
        begin(nil)
        write(name)
        buffer.add(": ")
        write(text)
    }

    /// A string in two parts, none of which needs an escape.
    ///
    /// - Parameter prefix: Stands before `bytes`.
    package mutating func string(
        _ name: StaticString?, unescaped bytes: Span<UInt8>, after prefix: String = ""
    ) {
        begin(name)
        buffer.add(.quote)
        if !prefix.isEmpty {
            var prefix = prefix
            prefix.withUTF8 { buffer.add($0) }
        }
        buffer.add(bytes)
        buffer.add(.quote)
    }

    private mutating func within(
        _ name: StaticString?, _ opening: UInt8, _ closing: UInt8,
        _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        begin(name)
        buffer.add(opening)
        depth += 1
        isFirst = true
        try body(&self)
        depth -= 1
        if !isFirst { breakLine() }
        buffer.add(closing)
        isFirst = false
    }

    private mutating func begin(_ name: StaticString?) {
        if depth > 0 {
            if !isFirst { buffer.add(.comma) }
            breakLine()
        }
        isFirst = false
        guard let name else { return }
        buffer.add(.quote)
        buffer.add(name)
        buffer.add("\": ")
    }

    private mutating func breakLine() {
        buffer.add(.lineFeed)
        for _ in 0..<depth { buffer.add("  ") }
    }

    private mutating func write(_ text: String) {
        let isWritten = text.withPlainJSON { bytes in
            buffer.add(.quote)
            buffer.add(bytes)
            buffer.add(.quote)
        }
        if isWritten { return }
        var writer = JSONWriter(layout: .pretty)
        writer.write(text)
        buffer.add(writer.bytes.span)
    }
}
