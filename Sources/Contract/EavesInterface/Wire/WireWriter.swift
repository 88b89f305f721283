// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes values for another process, in the format that `Documentation/Internals/Wire.md` describes.
///
/// Generated code writes the arguments of a call with it. Not Sendable: one task has it.
@_spi(Generated)
public final class WireWriter {
    /// The names of all members that were written, each once. Values name them by their places in this list.
    // One task has the writer, and none of these is read while it is changed.
    @exclusivity(unchecked) private var names: [String] = []
    /// The place of the name that came last after the name of each place: the members of a type come in one order.
    @exclusivity(unchecked) private var followers: [Int] = []
    @exclusivity(unchecked) private var last = -1
    @exclusivity(unchecked) private var places: [String: Int] = [:]
    let root = WireNode()
    /// The end of the last value, if that is large bytes, which stay where they are.
    @exclusivity(unchecked) private var tail: [UInt8] = []

    private static let largeSize = 1 << 16

    /// Creates a writer that has written nothing.
    public init() {}

    /// Writes a value behind those that were written before.
    ///
    /// - Throws: The error of the value's own `encode(to:)`.
    public func write(_ value: some Encodable) throws {
        // Values that may still grow have the writer, which would keep itself by them.
        defer { root.close() }
        writeTail()
        if let bytes = value as? [UInt8], bytes.count >= Self.largeSize {
            root.bytes.append(WireTag.bytes)
            root.bytes.appendVarint(UInt64(bytes.count))
            return tail = bytes
        }
        try WireFrame(root, self, [], Any.self, depth: -1).write(value)
    }

    func writeTail() {
        tail.withUnsafeBytes { root.bytes.append($0) }
        tail = []
    }

    /// All that was written, with the names in front.
    public var bytes: [UInt8] {
        let (head, tail) = parts()
        return head + tail
    }

    /// All that was written, behind other bytes: what is copied, and large bytes at its end, which are not.
    package func parts(after first: [UInt8] = []) -> (head: [UInt8], tail: [UInt8]) {
        let heading = WireBytes(capacity: 16 * names.count + 8)
        heading.appendVarint(UInt64(names.count))
        for name in names { heading.appendText(name) }
        var head = first
        head.reserveCapacity(first.count + heading.count + root.bytes.count)
        head += heading[0..<heading.count]
        head += root.bytes[0..<root.bytes.count]
        return (head, tail)
    }

    func place(of name: String) -> Int {
        if last >= 0, followers[last] >= 0, names[followers[last]] == name {
            last = followers[last]
            return last
        }
        let place = places[name] ?? names.count
        if place == names.count {
            names.append(name)
            followers.append(-1)
            places[name] = place
        }
        if last >= 0 { followers[last] = place }
        last = place
        return place
    }
}

/// The first byte of a value.
enum WireTag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    /// A negative number: what it is below -1, as a varint.
    static let negative: UInt8 = 3
    /// A number that is not negative, as a varint.
    static let number: UInt8 = 4
    /// Eight bytes.
    static let double: UInt8 = 5
    /// Four bytes.
    static let float: UInt8 = 6
    /// The count of its bytes as a varint, and the bytes in UTF-8.
    static let text: UInt8 = 7
    /// Their count as a varint, and the bytes.
    static let bytes: UInt8 = 8
    /// Members: the place of the name and 1 more, as a varint, and the value; 0 ends them.
    static let members: UInt8 = 9
    /// Values, up to ``end``.
    static let list: UInt8 = 10
    static let end: UInt8 = 11
    /// An optional value that is there, and is itself optional.
    static let present: UInt8 = 12
    /// Elements of a list that are numbers below 256: their count as a varint, and a byte for each.
    static let run: UInt8 = 13
    /// With a number below 64 in the other bits.
    static let smallNumber: UInt8 = 0x40
    /// With the count of a text's bytes, below 128, in the other bits.
    static let shortText: UInt8 = 0x80
}

/// Bytes of one value, and the values inside it that may still grow.
final class WireNode {
    @exclusivity(unchecked) private(set) var bytes = WireBytes()
    /// The values that were begun at a place of ``bytes``, and may be written later than what follows them.
    fileprivate var holes: [(place: Int, frame: WireFrame)] = []

    /// Puts the values into their places: none of them grows any more.
    func close() {
        guard !holes.isEmpty else { return }
        let whole = WireBytes()
        append(to: whole)
        bytes = whole
        holes = []
    }

    private func append(to whole: WireBytes) {
        var start = 0
        for (place, frame) in holes {
            whole.append(bytes[start..<place])
            frame.end()
            frame.node.append(to: whole)
            start = place
        }
        whole.append(bytes[start..<bytes.count])
    }
}

/// The place at which one value is written.
final class WireFrame: Encoder {
    enum Kind { case none, members, list }

    let node: WireNode
    let writer: WireWriter
    let codingPath: [any CodingKey]
    let type: Any.Type
    private let depth: Int
    @exclusivity(unchecked) private var kind = Kind.none
    /// The number of values in a list.
    @exclusivity(unchecked) var count = 0
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(
        _ node: WireNode, _ writer: WireWriter, _ path: [any CodingKey], _ type: Any.Type,
        depth: Int
    ) {
        self.node = node
        self.writer = writer
        self.type = type
        self.depth = depth
        codingPath = path
    }

    /// - Parameter layers: 0 for a value that is all of this one, and lies no deeper for a reader.
    func write<Value: Encodable>(_ value: Value, layers: Int = 1) throws {
        // Bytes are no list of numbers.
        if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
            return node.bytes.append(WireTag.bytes, bytes)
        }
        // A reader would refuse it, and one deep enough would take the thread's whole stack.
        let depth = depth + layers
        guard depth < WireCursor.deepest else { throw WireError.tooDeep(at: node.bytes.count) }
        let frame = WireFrame(node, writer, codingPath, Value.self, depth: depth)
        try value.encode(to: frame)
        frame.end()
    }

    /// Begins a value that is written into a node of its own, since others may be written before it ends.
    func hole(_ key: any CodingKey) -> WireFrame {
        let frame = WireFrame(WireNode(), writer, codingPath + [key], Any.self, depth: depth + 1)
        node.holes.append((node.bytes.count, frame))
        return frame
    }

    func begin(_ kind: Kind) {
        // A type and its superclass may each ask for the members, and write the same ones.
        guard self.kind == .none else {
            precondition(self.kind == kind, "a value is encoded both as members and as a list")
            return
        }
        self.kind = kind
        node.bytes.append(kind == .members ? WireTag.members : WireTag.list)
    }

    /// Ends the value. A value that wrote nothing has no members.
    func end() {
        switch kind {
        case .none: break
        case .members: node.bytes.append(0)
        case .list: node.bytes.append(WireTag.end)
        }
        kind = .none
    }

    func name(_ name: String) {
        node.bytes.appendVarint(UInt64(writer.place(of: name) + 1))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(.members)
        return KeyedEncodingContainer(WireMembers<Key>(frame: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin(.list)
        return WireList(frame: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { WireValue(frame: self) }
}

private struct WireMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let frame: WireFrame
    var codingPath: [any CodingKey] { frame.codingPath }

    func encodeNil(forKey key: Key) { add(key) { $0.append(WireTag.null) } }
    func encode(_ value: Bool, forKey key: Key) { add(key) { $0.appendValue(value) } }
    func encode(_ value: String, forKey key: Key) { add(key) { $0.appendValue(value) } }
    func encode(_ value: Int, forKey key: Key) { add(key) { $0.appendValue(value) } }

    private func add(_ key: Key, _ write: (WireBytes) -> Void) {
        frame.name(key.stringValue)
        write(frame.node.bytes)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        frame.name(key.stringValue)
        try frame.write(value)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        guard let value else { return }
        frame.name(key.stringValue)
        if Value.self is any WireOptional.Type { frame.node.bytes.append(WireTag.present) }
        try frame.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        hole(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        hole(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { hole(WireKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { hole(key) }

    private func hole(_ key: any CodingKey) -> WireFrame {
        frame.name(key.stringValue)
        return frame.hole(key)
    }
}

private struct WireList: UnkeyedEncodingContainer {
    let frame: WireFrame
    var codingPath: [any CodingKey] { frame.codingPath }
    var count: Int { frame.count }

    func encodeNil() { add { $0.append(WireTag.null) } }
    func encode(_ value: Bool) { add { $0.appendValue(value) } }
    func encode(_ value: String) { add { $0.appendValue(value) } }
    func encode(_ value: Int) { add { $0.appendValue(value) } }

    func encode(_ value: some Encodable) throws {
        frame.count += 1
        try frame.write(value)
    }

    /// Writes numbers, such as those of a `Data`, as one run of bytes.
    func encode<Numbers: Sequence>(contentsOf numbers: Numbers) where Numbers.Element == UInt8 {
        let bytes = Array(numbers)
        guard !bytes.isEmpty else { return }
        frame.count += bytes.count
        frame.node.bytes.append(WireTag.run, bytes)
    }

    private func add(_ write: (WireBytes) -> Void) {
        frame.count += 1
        write(frame.node.bytes)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        superFrame().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        superFrame().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { superFrame() }

    private func superFrame() -> WireFrame {
        defer { frame.count += 1 }
        return frame.hole(WireKey(intValue: frame.count))
    }
}

private struct WireValue: SingleValueEncodingContainer {
    let frame: WireFrame
    var codingPath: [any CodingKey] { frame.codingPath }

    func encodeNil() { frame.node.bytes.append(WireTag.null) }
    func encode(_ value: Bool) { frame.node.bytes.appendValue(value) }
    func encode(_ value: String) { frame.node.bytes.appendValue(value) }
    func encode(_ value: some FixedWidthInteger & Encodable) { frame.node.bytes.appendValue(value) }
    func encode(_ value: Double) { frame.node.bytes.appendValue(value) }
    func encode(_ value: Float) { frame.node.bytes.appendValue(value) }

    func encode<Value: Encodable>(_ value: Value) throws {
        let isInner = Value.self is any WireOptional.Type && frame.type is any WireOptional.Type
        if isInner { frame.node.bytes.append(WireTag.present) }
        try frame.write(value, layers: isInner ? 1 : 0)
    }
}

/// An optional type. In another one, the inner nil differs from the outer one.
protocol WireOptional {}

extension Optional: WireOptional {}

/// A key that no type declares.
struct WireKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
