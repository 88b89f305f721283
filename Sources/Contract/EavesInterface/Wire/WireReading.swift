// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// How types take the values of a message apart.

/// The place at which one value is read.
final class WireReading: Decoder {
    let reader: WireReader
    let codingPath: [any CodingKey]
    let depth: Int
    /// Where the value begins.
    let start: Int
    /// Where it ends, as soon as it was read as a whole.
    private var ending: Int?
    /// Its members or its elements, if the type has asked for them.
    private var members: WireMemberReader?
    private var list: WireListReader?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ reader: WireReader, at start: Int, _ path: [any CodingKey], depth: Int) {
        self.reader = reader
        self.start = start
        codingPath = path
        self.depth = depth
    }

    var cursor: WireCursor { WireCursor(reader.bytes, at: start) }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == [UInt8].self, let bytes = try byteArray() as? Value { return bytes }
        guard depth < WireCursor.deepest else {
            throw WireError("the values are nested too deep", at: start)
        }
        return try Value(from: self)
    }

    /// Where the value ends. What the type has not asked for is skipped.
    func end() throws(WireError) -> Int {
        if let ending { return ending }
        if let members { return try members.end() }
        if let list { return try list.end() }
        var cursor = cursor
        try cursor.skip(depth: depth)
        return cursor.position
    }

    /// Reads the value as a whole.
    func read<Value>(_ body: (inout WireCursor) throws -> Value) rethrows -> Value {
        var cursor = cursor
        let value = try body(&cursor)
        ending = cursor.position
        return value
    }

    private func byteArray() throws -> [UInt8] {
        try read { cursor in
            let tag = try cursor.byte()
            guard tag == WireTag.bytes else { throw mismatch([UInt8].self, tag) }
            return try Array(cursor.part(count: cursor.count()))
        }
    }

    func mismatch(_ type: Any.Type, _ tag: UInt8) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "byte \(start) of the message begins another value (\(tag))"))
    }

    func number<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try read { cursor in
            let tag = try cursor.byte()
            let number: Number?
            switch tag {
            case WireTag.smallNumber..<WireTag.shortText:
                number = Number(exactly: tag & 0x3f)
            case WireTag.number: number = Number(exactly: try cursor.count())
            case WireTag.negative:
                number = Int64(exactly: try cursor.count()).flatMap { Number(exactly: ~$0) }
            default: throw mismatch(type, tag)
            }
            guard let number else {
                throw WireError("the number is no \(type)", at: start)
            }
            return number
        }
    }

    func text() throws -> String {
        try read { cursor in
            let tag = try cursor.byte()
            if tag >= WireTag.shortText { return try cursor.text(count: UInt64(tag & 0x7f)) }
            guard tag == WireTag.text else { throw mismatch(String.self, tag) }
            return try cursor.text(count: cursor.count())
        }
    }

    func bool() throws -> Bool {
        try read { cursor in
            let tag = try cursor.byte()
            guard tag == WireTag.yes || tag == WireTag.no else { throw mismatch(Bool.self, tag) }
            return tag == WireTag.yes
        }
    }

    /// Whether the value is null. If it is not, it can still be read.
    func isNull() throws -> Bool {
        guard try cursor.peek() == WireTag.null else { return false }
        ending = start + 1
        return true
    }

    func bits<Bits: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, of type: Any.Type, _ bits: Bits.Type
    ) throws -> Bits {
        try read { cursor in
            let found = try cursor.byte()
            guard found == tag else { throw mismatch(type, found) }
            let part = try cursor.part(count: UInt64(MemoryLayout<Bits>.size))
            return part.reversed().reduce(0) { $0 << 8 | Bits($1) }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let members = try members ?? WireMemberReader(self)
        self.members = members
        return KeyedDecodingContainer(WireMembersReading<Key>(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let list = try list ?? WireListReader(self)
        self.list = list
        return WireListReading(list: list)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        WireValueReading(frame: self)
    }
}

/// Finds members by their names. They mostly come in the order in which a type asks for them.
private final class WireMemberReader {
    let frame: WireReading
    private var cursor: WireCursor
    /// The members so far: where their values begin.
    private var known: [(name: String, start: Int)] = []
    /// The same by their names, once they are too many to look through.
    private var index: [String: Int]?
    /// Whether the cursor is at the value of the last known member.
    private var isAtValue = false
    private var isAtEnd = false

    private static let indexedFrom = 16

    init(_ frame: WireReading) throws {
        self.frame = frame
        cursor = frame.cursor
        let tag = try cursor.byte()
        guard tag == WireTag.members else { throw frame.mismatch([String: Any].self, tag) }
    }

    /// Where the value of a member begins; `nil` if there is no such member.
    func find(_ name: String) throws(WireError) -> Int? {
        if isAtValue, let last = known.last, last.name == name { return last.start }
        let earlier = index.map { $0[name] } ?? known.first { $0.name == name }?.start
        if let earlier { return earlier }
        while try advance() {
            if let last = known.last, last.name == name { return last.start }
        }
        return nil
    }

    /// Goes to the value of the next member. Returns `false` if there are no more.
    private func advance() throws(WireError) -> Bool {
        if isAtValue { try cursor.skip(depth: frame.depth + 1) }
        isAtValue = false
        guard !isAtEnd, let place = try Self.next(&cursor, frame.reader.names) else {
            isAtEnd = true
            return false
        }
        let name = frame.reader.names[place]
        known.append((name, cursor.position))
        if index != nil {
            if index?[name] == nil { index?[name] = cursor.position }
        } else if known.count > Self.indexedFrom {
            index = Dictionary(known.map { ($0.name, $0.start) }) { first, _ in first }
        }
        isAtValue = true
        return true
    }

    /// The place of the next member's name; `nil` if there are no more members.
    private static func next(
        _ cursor: inout WireCursor, _ names: [String]
    ) throws(WireError) -> Int? {
        let number = try cursor.count()
        guard number <= UInt64(names.count) else {
            throw WireError("there is no name \(number)", at: cursor.position)
        }
        return number == 0 ? nil : Int(number) - 1
    }

    /// Reads the member with a name, if there is one.
    func read<Value>(_ key: any CodingKey, _ body: (WireReading) throws -> Value) throws -> Value? {
        guard let start = try find(key.stringValue) else { return nil }
        let reading = WireReading(
            frame.reader, at: start, frame.codingPath + [key], depth: frame.depth + 1)
        let value = try body(reading)
        if isAtValue, start == cursor.position {
            cursor.position = try reading.end()
            isAtValue = false
        }
        return value
    }

    /// Whether the value of the member with a name is null, if there is one. It can still be read.
    func isNull(_ key: any CodingKey) throws(WireError) -> Bool? {
        guard let start = try find(key.stringValue) else { return nil }
        return try WireCursor(frame.reader.bytes, at: start).peek() == WireTag.null
    }

    /// The names of all members.
    func names() throws(WireError) -> [String] {
        while try advance() {}
        return known.map(\.name)
    }

    /// Where the members end. A container that the type has asked for reads on where it was.
    func end() throws(WireError) -> Int {
        var cursor = cursor
        guard !isAtEnd else { return cursor.position }
        if isAtValue { try cursor.skip(depth: frame.depth + 1) }
        while try Self.next(&cursor, frame.reader.names) != nil {
            try cursor.skip(depth: frame.depth + 1)
        }
        return cursor.position
    }
}

private struct WireMembersReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: WireMemberReader
    var codingPath: [any CodingKey] { members.frame.codingPath }
    var allKeys: [Key] {
        // A type that asks for them meets the damage when it asks for a value.
        ((try? members.names()) ?? []).compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        // A type that asks for the member meets the damage then.
        ((try? members.find(key.stringValue)) ?? nil) != nil
    }

    private func read<Value>(_ key: Key, _ body: (WireReading) throws -> Value) throws -> Value {
        guard let value = try members.read(key, body) else { throw missing(key) }
        return value
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "there is no '\(key.stringValue)'"))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let isNull = try members.isNull(key) else { throw missing(key) }
        return isNull
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { try $0.bool() }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { try $0.text() }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { try $0.number(type) }
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try read(key) { try $0.value(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try read(key) { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try read(key) { try $0.unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder {
        guard let frame = try members.read(WireKey(stringValue: "super"), { $0 }) else {
            throw WireError("there is no 'super'", at: members.frame.start)
        }
        return frame
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try read(key) { $0 } }
}

private final class WireListReader {
    let frame: WireReading
    private var cursor: WireCursor
    private(set) var index = 0

    init(_ frame: WireReading) throws {
        self.frame = frame
        cursor = frame.cursor
        let tag = try cursor.byte()
        guard tag == WireTag.list else { throw frame.mismatch([Any].self, tag) }
    }

    var isAtEnd: Bool {
        // A list that is cut short has another element, and reading it throws.
        (try? cursor.peek()) == WireTag.end
    }

    func read<Value>(_ body: (WireReading) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self,
                DecodingError.Context(
                    codingPath: frame.codingPath, debugDescription: "the list has \(index) elements"
                ))
        }
        let reading = WireReading(
            frame.reader, at: cursor.position, frame.codingPath + [WireKey(intValue: index)],
            depth: frame.depth + 1)
        let value = try body(reading)
        cursor.position = try reading.end()
        index += 1
        return value
    }

    /// Reads a null; otherwise the element can still be read.
    func readNull() throws -> Bool {
        guard try cursor.peek() == WireTag.null else { return false }
        cursor.position += 1
        index += 1
        return true
    }

    /// Where the list ends. A container that the type has asked for reads on where it was.
    func end() throws(WireError) -> Int {
        var cursor = cursor
        while try cursor.peek() != WireTag.end { try cursor.skip(depth: frame.depth + 1) }
        return cursor.position + 1
    }
}

private struct WireListReading: UnkeyedDecodingContainer {
    let list: WireListReader
    var codingPath: [any CodingKey] { list.frame.codingPath }
    var count: Int? { nil }
    var isAtEnd: Bool { list.isAtEnd }
    var currentIndex: Int { list.index }

    func decodeNil() throws -> Bool { try list.readNull() }
    func decode(_ type: Bool.Type) throws -> Bool { try list.read { try $0.bool() } }
    func decode(_ type: String.Type) throws -> String { try list.read { try $0.text() } }
    func decode(_ type: Int.Type) throws -> Int { try list.read { try $0.number(type) } }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try list.read { try $0.value(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try list.read { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try list.read { try $0.unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { try list.read { $0 } }
}

private struct WireValueReading: SingleValueDecodingContainer {
    let frame: WireReading
    var codingPath: [any CodingKey] { frame.codingPath }

    // A value that is cut short is not null, and reading it throws.
    func decodeNil() -> Bool { (try? frame.isNull()) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try frame.bool() }
    func decode(_ type: String.Type) throws -> String { try frame.text() }
    func decode(_ type: Int.Type) throws -> Int { try frame.number(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try frame.number(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try frame.number(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try frame.number(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try frame.number(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try frame.number(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try frame.number(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try frame.number(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try frame.number(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try frame.number(type) }
    func decode(_ type: Double.Type) throws -> Double {
        Double(bitPattern: try frame.bits(WireTag.double, of: type, UInt64.self))
    }
    func decode(_ type: Float.Type) throws -> Float {
        Float(bitPattern: try frame.bits(WireTag.float, of: type, UInt32.self))
    }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try frame.value(type) }
}
