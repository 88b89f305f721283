// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a long text piece by piece, without building a ``JSON`` value first. The text looks like
/// that of `JSON.text(pretty: true)`.
///
/// The caller passes a name for each member of an object, and none for each element of an array.
package struct JSONStream: ~Copyable {
    private var buffer: JSONBuffer
    private var depth = 0
    /// Whether the innermost open array or object is still empty.
    private var isFirst = true

    /// - Parameter sink: Gets the bytes in large pieces. Must not keep the pointer.
    package init(into sink: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
        buffer = JSONBuffer(sink)
    }

    /// Ends the text with a line break, and passes the rest to the sink.
    package consuming func finish() {
        buffer.add(.lineFeed)
        buffer.drain()
    }

    /// Writes an object, whose members `body` writes.
    package mutating func object(
        _ name: StaticString? = nil, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        try within(name, .openBrace, .closeBrace, body)
    }

    /// Writes an array, whose elements `body` writes.
    package mutating func array(
        _ name: StaticString? = nil, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        try within(name, .openBracket, .closeBracket, body)
    }

    /// Writes a string, or `null`.
    package mutating func string(_ name: StaticString?, _ text: String?) {
        begin(name)
        if let text { write(text) } else { buffer.add("null") }
    }

    /// Writes a value of any kind.
    package mutating func value(_ name: StaticString?, _ value: JSON) {
        begin(name)
        var writer = JSONWriter(layout: .pretty)
        writer.write(value)
        buffer.add(writer.bytes.span)
    }

    /// Writes a member whose name is not known at compile time.
    package mutating func member(_ name: String, _ text: String) {
        begin(nil)
        write(name)
        buffer.add(": ")
        write(text)
    }

    /// Writes a number as a member whose name is not known at compile time.
    package mutating func member(_ name: String, _ number: Int) {
        begin(nil)
        write(name)
        buffer.add(": ")
        var text = String(number)
        text.withUTF8 { buffer.add($0) }
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

    /// Writes an object as a member whose name is not known at compile time.
    package mutating func object(
        named name: String, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        begin(nil)
        write(name)
        buffer.add(": ")
        try enclose(.openBrace, .closeBrace, body)
    }

    private mutating func within(
        _ name: StaticString?, _ opening: UInt8, _ closing: UInt8,
        _ body: (inout JSONStream) throws -> Void
    ) rethrows {
        begin(name)
        try enclose(opening, closing, body)
    }

    private mutating func enclose(
        _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONStream) throws -> Void
    ) rethrows {
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
        let isWritten = text.withBytesIfNoneNeedsEscape { bytes in
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

/// Collects bytes, and passes them to a sink whenever the buffer is full.
///
/// It reuses a few pages of memory: for a long text in one piece, getting the memory would take
/// longer than writing the bytes.
private struct JSONBuffer: ~Copyable {
    private static let capacity = 32_768

    // SAFETY: points to `capacity` bytes that no other value uses and `deinit` frees. The first
    // `count` are filled; only `add(_:)` raises `count`, and never above `capacity`.
    private let start = UnsafeMutablePointer<UInt8>.allocate(capacity: JSONBuffer.capacity)
    private var count = 0
    private let sink: (UnsafeBufferPointer<UInt8>) -> Void

    init(_ sink: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
        self.sink = sink
    }

    deinit { start.deallocate() }

    /// Passes all collected bytes to the sink.
    mutating func drain() {
        if count > 0 { sink(UnsafeBufferPointer(start: start, count: count)) }
        count = 0
    }

    mutating func add(_ byte: UInt8) {
        if count == Self.capacity { drain() }
        start[count] = byte
        count += 1
    }

    mutating func add(_ text: StaticString) {
        add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func add(_ text: Span<UInt8>) {
        text.withUnsafeBufferPointer { add($0) }
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        if text.count > Self.capacity - count {
            drain()
            guard text.count <= Self.capacity else { return sink(text) }
        }
        guard let source = text.baseAddress else { return }
        (start + count).update(from: source, count: text.count)
        count += text.count
    }
}
