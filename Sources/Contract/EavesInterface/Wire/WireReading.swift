// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The way in which types take the values of a message apart.

/// The place at which one value is read.
///
/// A type mostly asks for members in the order in which they were written. So one place moves through them, and nothing is
/// kept of those that lie behind it.
final class WireReading: Decoder {
    let reader: WireReader
    /// The value that this one lies in, and how it is found there.
    private let parent: WireReading?
    private let step: Step
    private let depth: Int
    let start: Int

    /// The way from a value to one inside of it. A path is made of these if an error needs it.
    enum Step {
        case root
        case member(any CodingKey)
        case element(Int)
    }

    private enum Shape { case unread, whole, members, list }

    // One task has the reader, and none of these is read while it is changed.
    @exclusivity(unchecked) private var shape = Shape.unread
    /// Where the value ends if it was read as a whole, or where its next member or element begins.
    @exclusivity(unchecked) private(set) var position: Int
    /// Where the value of the member in front of ``position`` begins, as long as it was not read; -1 for none.
    @exclusivity(unchecked) private var waiting = -1
    /// The place of that member's name.
    @exclusivity(unchecked) private var waitingName = 0
    /// The number of elements of the list that were read.
    @exclusivity(unchecked) private(set) var count = 0
    /// The number of bytes left in the run that is being read.
    @exclusivity(unchecked) private var inRun = 0
    /// The type that takes the value apart at present.
    @exclusivity(unchecked) private(set) var type: Any.Type = Any.self

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ reader: WireReader, in parent: WireReading? = nil, _ step: Step = .root, at start: Int) {
        self.reader = reader
        self.parent = parent
        self.step = step
        self.start = start
        depth = parent.map { $0.depth + 1 } ?? 0
        position = start
    }

    var codingPath: [any CodingKey] { parent?.path(to: step) ?? [] }

    private func path(to step: Step) -> [any CodingKey] {
        switch step {
        case .root: codingPath
        case .member(let key): codingPath + [key]
        case .element(let index): codingPath + [WireKey(intValue: index)]
        }
    }

    /// The error of a type that finds another value than its own.
    func mismatch(
        _ type: Any.Type, at start: Int, _ step: Step = .root
    ) throws(WireError) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: path(to: step),
                debugDescription: "byte \(start) of the message begins another value "
                    + "(\(try reader.cursor(at: start).peek()))"))
    }

    // MARK: A value as a whole

    func read<Value: WireScalar>(_ type: Value.Type) throws -> Value {
        var cursor = reader.cursor(at: start)
        guard let value = try type.read(&cursor) else { throw try mismatch(type, at: start) }
        shape = .whole
        position = cursor.position
        return value
    }

    /// Whether the value is null. If it is not, it can still be read.
    func isNull() throws(WireError) -> Bool {
        guard try reader.cursor(at: start).peek() == WireTag.null else { return false }
        shape = .whole
        position = start + 1
        return true
    }

    /// Reads what an optional value holds, which differs from nil if it is itself optional.
    func wrapped<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard Value.self is any WireOptional.Type,
            try reader.cursor(at: start).peek() == WireTag.present
        else { return try value(type) }
        let inner = WireReading(reader, in: self, step, at: start + 1)
        let value = try inner.value(type)
        shape = .whole
        position = try inner.end()
        return value
    }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == [UInt8].self {
            let bytes = try read([UInt8].self)
            if let bytes = bytes as? Value { return bytes }
        }
        guard depth < WireCursor.deepest else { throw WireError.tooDeep(at: start) }
        let outer = self.type
        self.type = Value.self
        defer { self.type = outer }
        return try Value(from: self)
    }

    /// Where the value ends. What the type has not asked for is skipped.
    func end() throws(WireError) -> Int {
        var cursor = reader.cursor(at: position)
        switch shape {
        case .whole: break
        case .unread: try cursor.skip(depth: depth)
        case .members:
            if waiting >= 0 { try cursor.skip(depth: depth + 1) }
            while try cursor.count() != 0 { try cursor.skip(depth: depth + 1) }
        case .list:
            cursor.position += inRun
            while try cursor.peek() != WireTag.end { try cursor.skip(depth: depth + 1) }
            cursor.position += 1
        }
        return cursor.position
    }

    private func begin(_ shape: Shape, _ tag: UInt8, of type: Any.Type) throws {
        // A type and its superclass may each ask for the members, and go on where the other was.
        if self.shape == shape { return }
        guard try reader.cursor(at: start).peek() == tag else {
            throw try mismatch(type, at: start)
        }
        self.shape = shape
        position = start + 1
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try begin(.members, WireTag.members, of: [String: Any].self)
        return KeyedDecodingContainer(WireMembersReading<Key>(frame: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try begin(.list, WireTag.list, of: [Any].self)
        return WireListReading(frame: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        WireValueReading(frame: self)
    }

    // MARK: Members

    /// The place at which the value of a member begins; `nil` without such a member.
    func find(_ name: String) throws(WireError) -> Int? {
        var cursor = reader.cursor(at: position)
        if waiting >= 0 {
            if reader.names[waitingName] == name { return waiting }
            // The type wants another one first, and may come back to it.
            waiting = -1
            try cursor.skip(depth: depth + 1)
            position = cursor.position
        }
        let begin = position
        while let place = try cursor.name(of: reader.names.count) {
            if reader.names[place] == name {
                (waiting, waitingName, position) = (cursor.position, place, cursor.position)
                return waiting
            }
            try cursor.skip(depth: depth + 1)
        }
        // It may be one that was passed by.
        cursor.position = start + 1
        while cursor.position < begin, let place = try cursor.name(of: reader.names.count) {
            if reader.names[place] == name { return cursor.position }
            try cursor.skip(depth: depth + 1)
        }
        return nil
    }

    /// Notes where the value at a place has ended: the next member follows, if it was its turn.
    private func pass(_ start: Int, to end: Int) {
        guard start == waiting else { return }
        waiting = -1
        position = end
    }

    /// Reads a member's value as a whole.
    @inline(__always)
    func member<Value: WireScalar>(
        _ type: Value.Type, _ key: any CodingKey, at start: Int
    ) throws -> Value {
        var cursor = reader.cursor(at: start)
        guard let value = try type.read(&cursor) else {
            throw try mismatch(type, at: start, .member(key))
        }
        pass(start, to: cursor.position)
        return value
    }

    /// Lets a type take a member's value apart.
    func member<Value>(
        _ key: any CodingKey, at start: Int, _ body: (WireReading) throws -> Value
    ) throws -> Value {
        let reading = WireReading(reader, in: self, .member(key), at: start)
        let value = try body(reading)
        if start == waiting { pass(start, to: try reading.end()) }
        return value
    }

    func names() throws(WireError) -> [String] {
        var cursor = reader.cursor(at: start + 1)
        var names: [String] = []
        while let place = try cursor.name(of: reader.names.count) {
            names.append(reader.names[place])
            try reader.take(MemoryLayout<String>.stride, at: cursor.position)
            try cursor.skip(depth: depth + 1)
        }
        return names
    }

    // MARK: Elements

    /// Whether the list has no more elements. One that is cut short has another element, and reading it throws.
    var isAtEnd: Bool {
        inRun == 0 && (try? reader.cursor(at: position).peek()) == WireTag.end
    }

    /// The number of elements, if all of them are numbers that were written at once.
    var length: Int? {
        var cursor = reader.cursor(at: position)
        guard count == 0, (try? cursor.byte()) == WireTag.run,
            let length = try? cursor.part(count: cursor.count()).count,
            (try? cursor.peek()) == WireTag.end
        else { return nil }
        return length
    }

    /// Reads the next element if it is a byte of a run; otherwise reads nothing, and returns `nil`.
    func byte() throws(WireError) -> UInt8? {
        var cursor = reader.cursor(at: position)
        if inRun == 0 {
            guard try cursor.peek() == WireTag.run else { return nil }
            cursor.position += 1
            inRun = try cursor.part(count: cursor.count()).count
            cursor.position -= inRun
        }
        guard inRun > 0 else { throw WireError("no numbers follow", at: position) }
        let byte = try cursor.byte()
        passElement(to: cursor.position)
        inRun -= 1
        return byte
    }

    /// Reads the same element as ``byte()``, for a type that is not a byte.
    private func separated<Value>(_ body: (WireReading) throws -> Value) throws -> Value? {
        let before = (position, inRun, count)
        guard let byte = try byte() else { return nil }
        let bytes = WireBytes()
        bytes.append(0)
        bytes.appendValue(byte)
        do {
            return try body(WireReading(WireReader(bytes.array), at: 1))
        } catch {
            // The type may ask for it in another form.
            (position, inRun, count) = before
            throw error
        }
    }

    /// Reads an element as a whole.
    func element<Value: WireScalar>(_ type: Value.Type) throws -> Value {
        try checkElement(type)
        if let value = try separated({ try $0.read(type) }) { return value }
        var cursor = reader.cursor(at: position)
        guard let value = try type.read(&cursor) else {
            throw try mismatch(type, at: position, .element(count))
        }
        passElement(to: cursor.position)
        return value
    }

    /// Lets a type take an element apart.
    func element<Value>(_ body: (WireReading) throws -> Value) throws -> Value {
        try checkElement(Value.self)
        if let value = try separated(body) { return value }
        let reading = WireReading(reader, in: self, .element(count), at: position)
        let value = try body(reading)
        passElement(to: try reading.end())
        return value
    }

    /// Notes where the next element ended.
    func passElement(to position: Int) {
        self.position = position
        count += 1
    }

    private func checkElement<Value>(_ type: Value.Type) throws {
        guard isAtEnd else {
            return try reader.take(MemoryLayout<Value>.stride, at: position)
        }
        throw DecodingError.valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "the list has \(count) elements"))
    }

    /// Reads a null; otherwise the element can still be read.
    func nullElement() throws(WireError) -> Bool {
        guard inRun == 0, try reader.cursor(at: position).peek() == WireTag.null else {
            return false
        }
        passElement(to: position + 1)
        return true
    }
}

extension WireCursor {
    /// Reads the place of the next member's name; `nil` if there are no more members.
    fileprivate mutating func name(of count: Int) throws(WireError) -> Int? {
        let number = try self.count()
        guard number <= UInt64(count) else {
            throw WireError("there is no name \(number)", at: position)
        }
        return number == 0 ? nil : Int(number) - 1
    }
}
