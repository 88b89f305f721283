// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads values that a ``WireWriter`` has written.
///
/// The bytes may come from a process that is not trusted: whatever they are, reading ends with a value or an error.
/// Generated code reads the arguments of a call with it. Not Sendable: one task has it.
@_spi(Generated)
public final class WireReader {
    /// The message. A cursor in it is used while its reader lives, and reads one value.
    @exclusivity(unchecked) private var memory: UnsafeBufferPointer<UInt8>
    private var bytes: ArraySlice<UInt8> {
        // SAFETY: the reader keeps the bytes and never changes them, so that they stay in their place as long as it lives. A
        // message may be too large to copy.
        didSet { memory = bytes.withUnsafeBufferPointer { $0 } }
    }
    /// The bytes behind ``bytes``, which a reader of large bytes gets as they are.
    private var tail: [UInt8]
    let names: [String]
    @exclusivity(unchecked) private var position: Int
    /// The memory that further elements of lists may take. In bytes.
    @exclusivity(unchecked) private var room = WireReader.mostMemory

    /// A short message can have many elements that are large in memory. In bytes.
    static let mostMemory = 32 << 20
    private static let mostNames = 1 << 20

    /// - Parameter bytes: A whole message.
    /// - Throws: ``WireError`` if the names in front of the values are damaged.
    public convenience init(_ bytes: [UInt8]) throws { try self.init(bytes[...], []) }

    /// - Parameters:
    ///   - bytes: The begin of a message.
    ///   - tail: The rest of it.
    /// - Throws: As ``init(_:)``.
    package init(_ bytes: ArraySlice<UInt8>, _ tail: [UInt8]) throws {
        let isNamed = bytes.first != 0
        self.bytes = isNamed && !tail.isEmpty ? bytes + tail : bytes
        self.tail = isNamed ? [] : tail
        // SAFETY: as above.
        memory = self.bytes.withUnsafeBufferPointer { $0 }
        var cursor = WireCursor(memory, at: 0)
        let count = try cursor.count()
        // Each name takes a byte at least.
        guard count <= UInt64(memory.count) else { throw cursor.cutShort }
        guard count <= UInt64(Self.mostNames) else {
            throw WireError("it has \(count) names: expected at most \(Self.mostNames)", at: 0)
        }
        var names: [String] = []
        for _ in 0..<count { names.append(try cursor.text(count: cursor.count())) }
        self.names = names
        position = cursor.position
    }

    /// Counts an element of a list.
    @inline(__always)
    func take(_ size: Int, at position: Int) throws(WireError) {
        room -= size
        guard room >= 0 else {
            let words = "its values take more than \(Self.mostMemory >> 20) MB of memory"
            throw WireError(words, at: position)
        }
    }

    func cursor(at position: Int) -> WireCursor { WireCursor(memory, at: position) }

    /// Reads the next value.
    ///
    /// - Throws: ``WireError`` if the bytes are no value, or the error of the type's own `init(from:)`, if they are
    ///   another one.
    public func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if !tail.isEmpty {
            var cursor = cursor(at: position)
            let isTail =
                type == [UInt8].self && (try? cursor.byte()) == WireTag.bytes
                && (try? cursor.count()) == UInt64(tail.count) && cursor.position == memory.count
            if isTail, let value = tail as? Value {
                position = cursor.position
                tail = []
                return value
            }
        }
        let frame = next()
        let value = try frame.value(type)
        try pass(frame)
        return value
    }

    func next() -> WireReading {
        if !tail.isEmpty {
            bytes += tail
            tail = []
        }
        return WireReading(self, at: position)
    }

    /// Goes on behind a value.
    func pass(_ value: WireReading) throws(WireError) { position = try value.end() }

    /// Checks that all values were read.
    ///
    /// - Throws: ``WireError`` if there are more.
    public func finish() throws {
        let rest = memory.count + tail.count - position
        guard rest == 0 else {
            throw WireError("\(rest) bytes more than expected", at: position)
        }
    }
}

/// A message from another process is damaged.
@_spi(Generated)
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, and the byte of the message.
    public let description: String

    init(_ problem: String, at position: Int) {
        description = "byte \(position) of the message: \(problem)"
    }

    static func tooDeep(at position: Int) -> WireError {
        WireError("the values are nested deeper than \(WireCursor.deepest)", at: position)
    }
}

/// A place in a message, which moves behind what is read.
struct WireCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    var position: Int

    /// Values that lie in each other deeper than this are no values that a program writes.
    static let deepest = 128

    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    var cutShort: WireError { WireError("the message is cut short", at: position) }

    // MARK: Bytes

    @inline(__always)
    func peek() throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw cutShort }
        return bytes[position]
    }

    @inline(__always)
    mutating func byte() throws(WireError) -> UInt8 {
        let byte = try peek()
        position += 1
        return byte
    }

    @inline(__always)
    mutating func count() throws(WireError) -> UInt64 {
        // Nearly all of them.
        if position < bytes.count, bytes[position] < 0x80 {
            defer { position += 1 }
            return UInt64(bytes[position])
        }
        return try longCount()
    }

    private mutating func longCount() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            let part = UInt64(byte & 0x7f)
            guard shift < 63 || part < 2 else { break }
            number |= part << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw WireError("the number is too large", at: position)
    }

    @inline(__always)
    mutating func part(count: UInt64) throws(WireError) -> UnsafeBufferPointer<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw cutShort }
        defer { position += Int(count) }
        return UnsafeBufferPointer(rebasing: bytes[position..<position + Int(count)])
    }

    @inline(__always)
    mutating func text(count: UInt64) throws(WireError) -> String {
        if count == 0 { return "" }
        let start = position
        let part = try part(count: count)
        // A check of most texts would take longer than all else, and so would a function for each byte.
        var bits: UInt8 = 0
        for byte in part { bits |= byte }
        if bits < 0x80 { return String(decoding: part, as: UTF8.self) }
        guard let text = String(validating: part, as: UTF8.self) else {
            throw WireError("the text is not UTF-8", at: start)
        }
        return text
    }

    fileprivate mutating func bits<Bits: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, _ type: Bits.Type
    ) throws(WireError) -> Bits? {
        guard try byte() == tag else { return nil }
        let part = try part(count: UInt64(MemoryLayout<Bits>.size))
        return part.reversed().reduce(0) { $0 << 8 | Bits($1) }
    }

    mutating func skip(depth: Int = 0) throws(WireError) {
        guard depth < Self.deepest else { throw WireError.tooDeep(at: position) }
        let tag = try byte()
        switch tag {
        case WireTag.null, WireTag.no, WireTag.yes: break
        case WireTag.negative, WireTag.number: _ = try count()
        case WireTag.double: _ = try part(count: 8)
        case WireTag.float: _ = try part(count: 4)
        case WireTag.text, WireTag.bytes, WireTag.run: _ = try part(count: count())
        case WireTag.present: try skip(depth: depth + 1)
        case WireTag.members: while try count() != 0 { try skip(depth: depth + 1) }
        case WireTag.list:
            while try peek() != WireTag.end { try skip(depth: depth + 1) }
            position += 1
        case WireTag.shortText...: _ = try part(count: UInt64(tag & 0x7f))
        case WireTag.smallNumber...: break
        default: throw WireError("\(tag) begins no value", at: position - 1)
        }
    }
}

/// A type whose values are read as a whole.
protocol WireScalar: Decodable {
    /// Reads a value; `nil` if another one begins here.
    static func read(_ cursor: inout WireCursor) throws(WireError) -> Self?
}

extension String: WireScalar {
    @inline(__always)
    static func read(_ cursor: inout WireCursor) throws(WireError) -> String? {
        let tag = try cursor.byte()
        if tag >= WireTag.shortText { return try cursor.text(count: UInt64(tag & 0x7f)) }
        return tag == WireTag.text ? try cursor.text(count: cursor.count()) : nil
    }
}

extension Bool: WireScalar {
    static func read(_ cursor: inout WireCursor) throws(WireError) -> Bool? {
        switch try cursor.byte() {
        case WireTag.yes: true
        case WireTag.no: false
        default: nil
        }
    }
}

extension Double: WireScalar {
    static func read(_ cursor: inout WireCursor) throws(WireError) -> Double? {
        try cursor.bits(WireTag.double, UInt64.self).map { Double(bitPattern: $0) }
    }
}

extension Float: WireScalar {
    static func read(_ cursor: inout WireCursor) throws(WireError) -> Float? {
        try cursor.bits(WireTag.float, UInt32.self).map { Float(bitPattern: $0) }
    }
}

extension [UInt8]: WireScalar {
    static func read(_ cursor: inout WireCursor) throws(WireError) -> [UInt8]? {
        guard try cursor.byte() == WireTag.bytes else { return nil }
        return Array(try cursor.part(count: cursor.count()))
    }
}

extension FixedWidthInteger where Self: WireScalar {
    @inline(__always)
    static func read(_ cursor: inout WireCursor) throws(WireError) -> Self? {
        let start = cursor.position
        let number: Self?
        switch try cursor.byte() {
        case let tag where WireTag.smallNumber..<WireTag.shortText ~= tag:
            number = Self(exactly: tag & 0x3f)
        case WireTag.number: number = Self(exactly: try cursor.count())
        case WireTag.negative:
            number = Int64(exactly: try cursor.count()).flatMap { Self(exactly: ~$0) }
        default: return nil
        }
        guard let number else { throw WireError("the number is no \(Self.self)", at: start) }
        return number
    }
}

extension Int: WireScalar {}
extension Int8: WireScalar {}
extension Int16: WireScalar {}
extension Int32: WireScalar {}
extension Int64: WireScalar {}
extension Int128: WireScalar {}
extension UInt: WireScalar {}
extension UInt8: WireScalar {}
extension UInt16: WireScalar {}
extension UInt32: WireScalar {}
extension UInt64: WireScalar {}
extension UInt128: WireScalar {}
