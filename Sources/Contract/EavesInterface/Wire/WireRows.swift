// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Lists of a struct whose `Codable` the compiler has derived: generated code writes and reads its public properties one
// after the other, without the containers that `Codable` makes for each value. The bytes are the same.

@_spi(Reflection) import Swift

/// Writes the members of the structs of a list. Not Sendable: one task has it.
@_spi(Generated)
public final class WireRowWriter {
    private let frame: WireFrame
    private let bytes: WireBytes
    private let names: [String]
    /// The places of the names and 1 more; 0 for those that were not written.
    @exclusivity(unchecked) private var places: [UInt64]
    @exclusivity(unchecked) private var index = 0

    fileprivate init(_ frame: WireFrame, _ names: [String]) {
        self.frame = frame
        bytes = frame.node.bytes
        self.names = names
        places = names.map { _ in 0 }
        bytes.append(WireTag.list)
    }

    /// Begins a value.
    public func begin() {
        bytes.append(WireTag.members)
        index = 0
    }

    /// Ends a value.
    public func end() { bytes.append(0) }

    /// Ends the list.
    public func close() {
        bytes.append(WireTag.end)
        frame.node.close()
    }

    @inline(__always)
    private func name() {
        if places[index] == 0 { places[index] = UInt64(frame.writer.place(of: names[index]) + 1) }
        bytes.appendVarint(places[index])
        index += 1
    }

    /// Writes the next member.
    public func member(_ value: Int) {
        name()
        bytes.appendValue(value)
    }

    /// Writes the next member.
    public func member(_ value: consuming String) {
        name()
        value.withUTF8 { bytes.appendValue($0) }
    }

    /// Writes the next member by its `Codable`.
    public func member(_ value: some Encodable) throws {
        name()
        try frame.write(value)
    }

    /// Writes the next member, or leaves it out.
    public func member<Value: Encodable>(_ value: Value?) throws {
        guard let value else { return index += 1 }
        name()
        if Value.self is any WireOptional.Type { bytes.append(WireTag.present) }
        try frame.write(value)
    }
}

@_spi(Generated)
extension WireWriter {
    /// The names of a struct's members; none if it stores something else, such as a property with an observer.
    public static func members<Value>(of type: Value.Type, _ names: [String]) -> [String] {
        var stored: [String] = []
        _forEachField(of: type) { name, _, _, _ in
            stored.append(String(cString: name))
            return true
        }
        return stored == names ? names : []
    }

    /// Begins a list.
    ///
    /// - Returns: `nil` if the list was written by its `Codable` instead, as there are no members.
    public func rows(_ list: some Encodable, of members: [String]) throws -> WireRowWriter? {
        guard members.isEmpty else {
            writeTail()
            return WireRowWriter(WireFrame(root, self, [], Any.self, depth: 1), members)
        }
        try write(list)
        return nil
    }
}

/// Reads the members of the structs of a list. Not Sendable: one task has it.
@_spi(Generated)
public final class WireRowReader<Value: Decodable> {
    private let list: WireReading
    /// The places of the members' names and 1 more; none if `Codable` is to read all values.
    private let places: [UInt8]
    @exclusivity(unchecked) private var cursor: WireCursor
    @exclusivity(unchecked) private var index = 0

    /// Begins a list, which is the reader's next value.
    public init(_ reader: WireReader, _ members: [String]) throws {
        list = reader.next()
        _ = try list.unkeyedContainer()
        let places = members.compactMap { name in
            reader.names.firstIndex(of: name).flatMap { $0 < 0x7f ? UInt8($0 + 1) : nil }
        }
        self.places = places.count == members.count ? places : []
        cursor = reader.cursor(at: list.position)
    }

    /// Whether the list has another value. Behind the last one, the reader goes on behind the list.
    public func next() throws -> Bool {
        cursor.position = list.position
        index = 0
        guard list.isAtEnd else { return true }
        try list.reader.pass(list)
        return false
    }

    /// Reads a value by its `Codable`.
    public func whole() throws -> Value { try list.element { try $0.value(Value.self) } }

    /// Begins a value.
    public func begin() throws(WireOtherForm) {
        guard !places.isEmpty, (try? cursor.byte()) == WireTag.members else {
            throw WireOtherForm()
        }
    }

    /// Ends a value.
    public func end() throws(WireOtherForm) {
        guard (try? cursor.byte()) == 0,
            (try? list.reader.take(MemoryLayout<Value>.stride, at: cursor.position)) != nil
        else { throw WireOtherForm() }
        list.passElement(to: cursor.position)
    }

    @inline(__always)
    private func scalar<Member>(
        _ read: (inout WireCursor) throws(WireError) -> Member?
    ) throws(WireOtherForm) -> Member {
        var cursor = cursor
        guard (try? cursor.byte()) == places[index], let value = try? read(&cursor) else {
            throw WireOtherForm()
        }
        self.cursor.position = cursor.position
        index += 1
        return value
    }

    /// Reads the next member.
    public func member() throws(WireOtherForm) -> Int { try scalar(Int.read) }

    /// Reads the next member.
    public func member() throws(WireOtherForm) -> String { try scalar(String.read) }

    /// Reads the next member by its `Codable`.
    public func member<Member: Decodable>() throws(WireOtherForm) -> Member {
        try value { try $0.value(Member.self) }
    }

    /// Reads the next member, if it was not left out.
    public func optional<Member: Decodable>() throws(WireOtherForm) -> Member? {
        if (try? cursor.peek()) == places[index] {
            return try value { try $0.isNull() ? nil : $0.wrapped(Member.self) }
        }
        index += 1
        return nil
    }

    private func value<Member>(
        _ read: (WireReading) throws -> Member
    ) throws(WireOtherForm) -> Member {
        let element = WireReading(list.reader, in: list, .element(list.count), at: list.position)
        return try scalar { cursor throws(WireError) in
            let reading = WireReading(list.reader, in: element, at: cursor.position)
            guard let value = try? read(reading) else { return nil }
            cursor.position = try reading.end()
            return value
        }
    }
}

/// A value has another form than generated code gives it, and `Codable` is to read it.
@_spi(Generated)
public struct WireOtherForm: Error {}
