// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// How values of plain types are written and read without their `Codable`, whose containers take several times as long.
// This is the one place that gives up clarity for speed: `Documentation/Benchmarks.md` has the figures.

/// Writes and reads values of one type where they lie in memory, in the form in which their `Codable` does.
///
/// The memory that a function gets is aligned, and large enough for a value of the type.
protocol WireLayout: AnyObject, Sendable {
    /// Appends a value.
    func write(_ value: UnsafeRawPointer, to bytes: WireBytes, of writer: WireWriter)

    /// Reads a value into memory that has none.
    ///
    /// - Parameter depth: How many values this one lies in.
    /// - Returns: `false` if the message does not have the expected form here. Then the memory has no value.
    func read(
        into memory: UnsafeMutableRawPointer, from cursor: inout WireCursor, of reader: WireReader,
        depth: Int
    ) -> Bool

    /// Ends a value.
    func destroy(_ memory: UnsafeMutableRawPointer)

    /// Whether the value of a member is left out.
    func isLeftOut(_ value: UnsafeRawPointer) -> Bool

    /// Makes the value of a member that was left out. Returns `false` if it may not be.
    func makeLeftOut(_ memory: UnsafeMutableRawPointer) -> Bool
}

extension WireLayout {
    func isLeftOut(_ value: UnsafeRawPointer) -> Bool { false }
    func makeLeftOut(_ memory: UnsafeMutableRawPointer) -> Bool { false }
}

/// Values that have no parts of their own.
protocol WireLeaf: Sendable {
    static func append(_ value: Self, to bytes: WireBytes)

    /// Reads a value; `nil` if another one begins here.
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self?
}

final class WireLeafLayout<Value: WireLeaf>: WireLayout {
    func write(_ value: UnsafeRawPointer, to bytes: WireBytes, of _: WireWriter) {
        Value.append(value.assumingMemoryBound(to: Value.self).pointee, to: bytes)
    }

    func read(
        into memory: UnsafeMutableRawPointer, from cursor: inout WireCursor, of _: WireReader,
        depth _: Int
    ) -> Bool {
        guard let value = try? Value.take(from: &cursor) else { return false }
        memory.initializeMemory(as: Value.self, to: value)
        return true
    }

    func destroy(_ memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
}

final class WireOptionalLayout<Wrapped>: WireLayout {
    private let wrapped: any WireLayout

    init(_ wrapped: any WireLayout) { self.wrapped = wrapped }

    func write(_ value: UnsafeRawPointer, to bytes: WireBytes, of writer: WireWriter) {
        if isLeftOut(value) { return bytes.append(WireTag.null) }
        // The value lies where the optional one does.
        wrapped.write(value, to: bytes, of: writer)
    }

    func read(
        into memory: UnsafeMutableRawPointer, from cursor: inout WireCursor, of reader: WireReader,
        depth: Int
    ) -> Bool {
        if (try? cursor.peek()) == WireTag.null {
            cursor.position += 1
            return makeLeftOut(memory)
        }
        return withUnsafeTemporaryAllocation(of: Wrapped.self, capacity: 1) { content in
            let place = UnsafeMutableRawPointer(content.baseAddress!)
            guard wrapped.read(into: place, from: &cursor, of: reader, depth: depth) else {
                return false
            }
            memory.initializeMemory(as: Wrapped?.self, to: content.moveElement(from: 0))
            return true
        }
    }

    func destroy(_ memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Wrapped?.self).deinitialize(count: 1)
    }

    func isLeftOut(_ value: UnsafeRawPointer) -> Bool {
        if case .none = value.assumingMemoryBound(to: Wrapped?.self).pointee { true } else { false }
    }

    func makeLeftOut(_ memory: UnsafeMutableRawPointer) -> Bool {
        memory.initializeMemory(as: Wrapped?.self, to: nil)
        return true
    }
}

final class WireListLayout<Element>: WireLayout {
    private let element: any WireLayout
    private let stride = MemoryLayout<Element>.stride
    private let alignment = MemoryLayout<Element>.alignment

    init(_ element: any WireLayout) { self.element = element }

    func write(_ value: UnsafeRawPointer, to bytes: WireBytes, of writer: WireWriter) {
        bytes.append(WireTag.list)
        value.assumingMemoryBound(to: [Element].self).pointee.withUnsafeBytes { elements in
            var place = 0
            while place < elements.count {
                element.write(elements.baseAddress! + place, to: bytes, of: writer)
                place += stride
            }
        }
        bytes.append(WireTag.end)
    }

    func read(
        into memory: UnsafeMutableRawPointer, from cursor: inout WireCursor, of reader: WireReader,
        depth: Int
    ) -> Bool {
        guard depth < WireCursor.deepest, (try? cursor.byte()) == WireTag.list else { return false }
        // The message does not say how many there are. All values with a layout may be moved as bytes.
        var (capacity, count) = (4, 0)
        var elements = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * stride, alignment: alignment)
        var isWhole = true
        defer { elements.deallocate() }
        while let tag = try? cursor.peek(), tag != WireTag.end {
            if count == capacity {
                capacity *= 4
                let larger = UnsafeMutableRawPointer.allocate(
                    byteCount: capacity * stride, alignment: alignment)
                larger.copyMemory(from: elements, byteCount: count * stride)
                elements.deallocate()
                elements = larger
            }
            let place = elements + count * stride
            isWhole = element.read(into: place, from: &cursor, of: reader, depth: depth + 1)
            guard isWhole else { break }
            count += 1
        }
        guard isWhole, (try? cursor.byte()) == WireTag.end else {
            for index in 0..<count { element.destroy(elements + index * stride) }
            return false
        }
        // One object is all empty arrays, and is not to be written to.
        let list =
            count == 0
            ? []
            : [Element](unsafeUninitializedCapacity: count) { [elements, count] list, filled in
                UnsafeMutableRawBufferPointer(list).copyMemory(
                    from: UnsafeRawBufferPointer(start: elements, count: count * stride))
                filled = count
            }
        memory.initializeMemory(as: [Element].self, to: list)
        return true
    }

    func destroy(_ memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: [Element].self).deinitialize(count: 1)
    }
}

/// Structs, whose stored properties are the members.
// SAFETY: the members are known before another thread has the layout.
final class WireMembersLayout: WireLayout, @unchecked Sendable {
    /// A stored property. In the order of the type, and at most 64, so that a number can say which ones have a value.
    struct Member {
        let name: String
        /// Where its value lies in the struct. In bytes.
        let offset: Int
        let layout: any WireLayout
    }

    /// The place and the kind of a member, without a reference that is counted. The usual kinds need no call.
    private struct Step {
        enum Kind { case int, text, bool, double, other }

        let kind: Kind
        let offset: Int
    }

    /// A type may have members that hold values of the type itself, so they are known later than the layout.
    var members: [Member] = [] {
        didSet {
            steps = members.map { member in
                let kind: Step.Kind =
                    switch member.layout {
                    case is WireLeafLayout<Int>: .int
                    case is WireLeafLayout<String>: .text
                    case is WireLeafLayout<Bool>: .bool
                    case is WireLeafLayout<Double>: .double
                    default: .other
                    }
                return Step(kind: kind, offset: member.offset)
            }
        }
    }
    private var steps: [Step] = []

    func write(_ value: UnsafeRawPointer, to bytes: WireBytes, of writer: WireWriter) {
        bytes.append(WireTag.members)
        let places = writer.places(of: self)
        for index in steps.indices {
            let step = steps[index]
            let place = value + step.offset
            if step.kind == .other, members[index].layout.isLeftOut(place) { continue }
            bytes.appendVarint(places[index])
            switch step.kind {
            case .int: bytes.appendValue(place.load(as: Int.self))
            case .text: bytes.appendValue(place.assumingMemoryBound(to: String.self).pointee)
            case .bool: bytes.appendValue(place.load(as: Bool.self))
            case .double: bytes.appendValue(place.load(as: Double.self))
            case .other: members[index].layout.write(place, to: bytes, of: writer)
            }
        }
        bytes.append(0)
    }

    func read(
        into memory: UnsafeMutableRawPointer, from cursor: inout WireCursor, of reader: WireReader,
        depth: Int
    ) -> Bool {
        var filled: UInt64 = 0
        let isWhole = try? fill(memory, &filled, &cursor, reader, depth)
        if isWhole == true { return true }
        for index in members.indices where filled & 1 << UInt64(index) != 0 {
            members[index].layout.destroy(memory + members[index].offset)
        }
        return false
    }

    private func fill(
        _ memory: UnsafeMutableRawPointer, _ filled: inout UInt64, _ cursor: inout WireCursor,
        _ reader: WireReader, _ depth: Int
    ) throws(WireError) -> Bool {
        guard depth < WireCursor.deepest, try cursor.byte() == WireTag.members else { return false }
        let known = reader.members(of: self)
        while true {
            let place = try cursor.count()
            guard place <= UInt64(known.count) else { return false }
            if place == 0 { break }
            let index = known[Int(place) - 1]
            guard index >= 0, filled & 1 << UInt64(index) == 0 else {
                try cursor.skip(depth: depth + 1)
                continue
            }
            guard try read(index, into: memory, &cursor, reader, depth + 1) else { return false }
            filled |= 1 << UInt64(index)
        }
        for index in steps.indices where filled & 1 << UInt64(index) == 0 {
            let member = members[index]
            guard member.layout.makeLeftOut(memory + member.offset) else { return false }
            filled |= 1 << UInt64(index)
        }
        return true
    }

    private func read(
        _ index: Int, into memory: UnsafeMutableRawPointer, _ cursor: inout WireCursor,
        _ reader: WireReader, _ depth: Int
    ) throws(WireError) -> Bool {
        let step = steps[index]
        let place = memory + step.offset
        switch step.kind {
        case .int:
            guard let number = try cursor.number(Int.self) else { return false }
            place.initializeMemory(as: Int.self, to: number)
        case .text:
            guard let text = try cursor.text() else { return false }
            place.initializeMemory(as: String.self, to: text)
        case .bool:
            guard let isTrue = try cursor.bool() else { return false }
            place.initializeMemory(as: Bool.self, to: isTrue)
        case .double:
            guard let number = try cursor.double() else { return false }
            place.initializeMemory(as: Double.self, to: number)
        case .other:
            return members[index].layout.read(into: place, from: &cursor, of: reader, depth: depth)
        }
        return true
    }

    func destroy(_ memory: UnsafeMutableRawPointer) {
        for member in members { member.layout.destroy(memory + member.offset) }
    }
}
