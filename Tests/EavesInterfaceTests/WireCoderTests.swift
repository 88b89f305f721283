// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import FoundationEssentials
import Testing

@Suite("WireWriter and WireReader")
struct WireCoderTests {
    /// Writes a value and reads it.
    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        let writer = WireWriter()
        try writer.write(value)
        let reader = try WireReader(writer.bytes)
        let copy = try reader.read(Value.self)
        try reader.finish()
        return copy
    }

    @Test(
        "carry numbers",
        arguments: [0, 1, -1, 63, 64, -64, 127, 128, 255, 1 << 20, -(1 << 40), .max, .min])
    func numbers(_ number: Int) throws {
        #expect(try copy(number) == number)
        #expect(try copy(UInt64(bitPattern: Int64(number))) == UInt64(bitPattern: Int64(number)))
        #expect(try copy([number, number]) == [number, number])
        #expect(try copy(Int8(truncatingIfNeeded: number)) == Int8(truncatingIfNeeded: number))
    }

    @Test("carry other plain values")
    func plain() throws {
        for text in [
            "", "a", "é\u{301}😀", String(repeating: "x", count: 127),
            String(repeating: "é", count: 500),
        ] {
            #expect(try copy(text) == text)
            #expect(try copy([text: text]) == [text: text])
        }
        for number in [0.0, -0.0, 1.5, .infinity, .leastNonzeroMagnitude] {
            #expect(try copy(number).bitPattern == number.bitPattern)
            #expect(try copy(Float(number)).bitPattern == Float(number).bitPattern)
        }
        #expect(try copy(Double.nan).isNaN)
        #expect(try copy([true, false]) == [true, false])
        #expect(try copy(Duration.milliseconds(-1500)) == .milliseconds(-1500))
        #expect(try copy(Array(UInt8.min ... .max)) == Array(UInt8.min ... .max))
        #expect(try copy(2..<7) == 2..<7)
    }

    @Test("carry optional values and empty collections")
    func optional() throws {
        #expect(try copy(Int?.none) == nil)
        #expect(try copy(Int?.some(4)) == 4)
        #expect(try copy([1, nil, 3]) == [1, nil, 3])
        #expect(try copy([String]()) == [])
        #expect(try copy([Double?]()) == [])
        #expect(try copy([UInt8]()) == [])
        #expect(try copy([String: [Int]]()) == [:])
        #expect(try copy(["a": []] as [String: [Double]]) == ["a": []])
        #expect(try copy([[], [[]], [[1]]] as [[[Int]]]) == [[], [[]], [[1]]])
        for value in [nil, .some(nil), 5] as [Int??] {
            #expect(try copy(value) == value)
            #expect(try copy(.some(value)) == .some(value))
            #expect(try copy([value, 1]) == [value, 1])
            #expect(try copy(Twice(value: value)) == Twice(value: value))
            #expect(try copy(Whole(value: value)) == Whole(value: value))
            #expect(try copy([Whole(value: value)]) == [Whole(value: value)])
            #expect(try copy(Whole(value: Int???.some(value))) == Whole(value: .some(value)))
        }
        #expect(try copy(Int???.some(nil)) == .some(nil))
    }

    private struct Twice: Codable, Equatable { let value: Int?? }

    /// A type whose content is that of its value.
    private struct Whole<Value: Codable & Equatable>: Codable, Equatable {
        let value: Value

        init(value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// Numbers as `Data` writes them, between others.
    private struct Numbers<Number: Codable & Equatable>: Codable, Equatable {
        var before: [Number] = []
        var after: [Number] = []
        var bytes: [UInt8]

        init(_ before: [Number], _ bytes: [UInt8], _ after: [Number]) {
            (self.before, self.bytes, self.after) = (before, bytes, after)
        }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            let count = list.count
            let before = try list.decode(Int.self)
            for _ in 0..<before { self.before.append(try list.decode(Number.self)) }
            bytes = []
            let number = try list.decode(Int.self)
            for index in 0..<number {
                // Another type may ask for them.
                bytes.append(
                    index == 1 ? UInt8(try list.decode(Int16.self)) : try list.decode(UInt8.self))
            }
            while !list.isAtEnd { after.append(try list.decode(Number.self)) }
            #expect(count == nil)
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(before.count)
            try list.encode(contentsOf: before)
            try list.encode(bytes.count)
            try list.encode(contentsOf: bytes)
            try list.encode(contentsOf: after)
        }
    }

    @Test("carry bytes that a type writes as numbers")
    func runs() throws {
        for bytes in [[], [7], [0, 63, 64, 255, 11, 13]] as [[UInt8]] {
            let numbers = Numbers(["a"], bytes, ["b", ""])
            #expect(try copy(numbers) == numbers)
            #expect(try copy([numbers, numbers]) == [numbers, numbers])
        }
        let data = Data(repeating: 200, count: 1000)
        let writer = WireWriter()
        try writer.write(data)
        #expect(writer.bytes.count < 1010)
        #expect(try copy(data) == data)
        #expect(try copy(["a": data, "b": Data()]) == ["a": data, "b": Data()])
        // The reader skips the bytes that the type did not read.
        let reader = try WireReader(writer.bytes)
        _ = try reader.read(First.self)
        try reader.finish()
    }

    private struct First: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            #expect(list.count == 1000)
            #expect(try list.decode(UInt8.self) == 200)
            #expect(throws: (any Error).self) { _ = try list.decode(String.self) }
            #expect(list.currentIndex == 1)
            #expect(try list.decode(Int.self) == 200 && list.currentIndex == 2)
        }
    }

    private indirect enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double, name: String?)
        case group([Shape], inside: Shape)
    }

    @Test("carry enumerations with values, which lie in each other")
    func enumerations() throws {
        let shape = Shape.group(
            [.point, .circle(radius: 2, name: nil), .circle(radius: 1, name: "one")],
            inside: .group([], inside: .point))
        #expect(try copy(shape) == shape)
    }

    private struct Unwritable: Encodable {
        func encode(to encoder: any Encoder) throws {
            _ = encoder.singleValueContainer()
            throw NotWritten()
        }
    }

    private struct NotWritten: Error {}

    @Test("leave nothing in memory when they have been written, or could not be")
    func memory() throws {
        weak var writer: WireWriter?
        weak var reader: WireReader?
        do {
            let own = WireWriter()
            writer = own
            try own.write(Shape.group([.circle(radius: 1, name: nil)], inside: .point))
            #expect(throws: NotWritten.self) { try own.write([Unwritable()]) }
            let other = try WireReader(own.bytes)
            reader = other
            _ = try other.read(Shape.self)
        }
        #expect(writer == nil && reader == nil)
    }

    /// Asks for its members in another order than it writes them, and leaves one out.
    private struct Shuffled: Codable, Equatable {
        var (first, second, third) = (1, "two", [3.0])

        enum Key: CodingKey { case first, second, third, extra }

        init() {}

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encode(["not": ["asked": "for"]], forKey: .extra)
            try members.encode(first, forKey: .first)
            var list = members.nestedUnkeyedContainer(forKey: .third)
            try members.encode(second, forKey: .second)
            // Later than what stands behind it.
            for number in third { try list.encode(number) }
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            var list = try members.nestedUnkeyedContainer(forKey: .third)
            second = try members.decode(String.self, forKey: .second)
            third = []
            while !list.isAtEnd { third.append(try list.decode(Double.self)) }
            first = try members.decode(Int.self, forKey: .first)
        }
    }

    @Test("carry members in any order, and containers that are filled later")
    func shuffled() throws {
        #expect(try copy([Shuffled(), Shuffled()]) == [Shuffled(), Shuffled()])
    }

    private class Animal: Codable {
        var name = "Ada"
    }

    private final class Dog: Animal {
        var age = 7

        override init() { super.init() }

        enum Key: CodingKey { case age }

        override func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encode(age, forKey: .age)
            try super.encode(to: members.superEncoder())
        }

        required init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            age = try members.decode(Int.self, forKey: .age)
            try super.init(from: members.superDecoder())
        }
    }

    @Test("carry objects with a superclass")
    func superclass() throws {
        let dog = Dog()
        (dog.name, dog.age) = ("Bo", 3)
        let same = try copy(dog)
        #expect(same.name == "Bo" && same.age == 3)
    }

    @Test("carry a dictionary with very many names in time")
    func manyNames() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("name \($0)", $0) })
        #expect(try copy(many) == many)
    }

    @Test("carry several values, one after the other")
    func several() throws {
        let writer = WireWriter()
        try writer.write(1)
        try writer.write("two")
        try writer.write(Shuffled())
        let reader = try WireReader(writer.bytes)
        #expect(try reader.read(Int.self) == 1)
        #expect(throws: WireError.self) { try reader.finish() }
        #expect(try reader.read(String.self) == "two")
        #expect(try reader.read(Shuffled.self) == Shuffled())
        try reader.finish()
    }

    @Test("carry large bytes in two parts, wherever a message is cut in two")
    func parts() throws {
        let large = [UInt8](repeating: 5, count: 70_000)
        let writer = WireWriter()
        for bytes in [large, [1], large] { try writer.write(bytes) }
        let (head, tail) = writer.parts(after: [9, 9])
        #expect(tail == large)
        let all = head.dropFirst(2) + tail
        #expect(Array(all) == writer.bytes)
        for end in Array(0...20) + [70_003, 70_006, head.count - 2, all.count - 1, all.count] {
            let reader = try WireReader(all.prefix(end), Array(all.dropFirst(end)))
            #expect(try reader.read([UInt8].self) == large, "cut at \(end)")
            #expect(try reader.read([UInt8].self) == [1], "cut at \(end)")
            #expect(throws: WireError.self) { try reader.finish() }
            #expect(try reader.read([UInt8].self) == large, "cut at \(end)")
            try reader.finish()
        }
        #expect(throws: DecodingError.self) { try WireReader([0], large).read(Int.self) }
    }

    @Test("say what is wrong with a value of another type")
    func otherType() throws {
        let writer = WireWriter()
        try writer.write(300)
        #expect(throws: WireError.self) { try WireReader(writer.bytes).read(UInt8.self) }
        #expect(throws: DecodingError.self) { try WireReader(writer.bytes).read(String.self) }
        #expect(throws: DecodingError.self) { try WireReader(writer.bytes).read([Int].self) }
        #expect(throws: DecodingError.self) { try WireReader(writer.bytes).read(Shuffled.self) }
    }

    @Test("survive every message that is cut short or damaged")
    func damage() throws {
        let writer = WireWriter()
        try writer.write([Shape.circle(radius: 1, name: "x"), .group([.point], inside: .point)])
        try writer.write(["a": [1, 2, 300]])
        let bytes = writer.bytes
        func read(_ bytes: [UInt8]) throws {
            let reader = try WireReader(bytes)
            _ = try reader.read([Shape].self)
            _ = try reader.read([String: [Int]].self)
            try reader.finish()
        }
        try read(bytes)
        for count in bytes.indices {
            #expect(throws: (any Error).self) { try read(Array(bytes[..<count])) }
        }
        // A damaged message has another value, or is refused; it must not end the process.
        for place in bytes.indices {
            for byte in UInt8.min ... .max {
                var damaged = bytes
                damaged[place] = byte
                _ = try? read(damaged)
            }
        }
    }

    @Test("refuse names and elements that take far more memory than the message")
    func amplified() throws {
        let names: [UInt8] = [0x80, 0x80, 0x80, 4] + [UInt8](repeating: 0, count: 4 << 21)
        #expect(throws: WireError.self) { _ = try WireReader(names) }
        let texts: [UInt8] = [0, 10] + [UInt8](repeating: 128, count: 3 << 20) + [11]
        #expect(throws: WireError.self) { _ = try WireReader(texts).read([String].self) }
    }

    @Test("refuse values that lie in each other too deep")
    func depth() throws {
        let lists = [UInt8](repeating: 10, count: 1_000_000)
        #expect(throws: WireError.self) { _ = try WireReader([0] + lists).read(Nested.self) }
        struct Empty: Decodable {}
        #expect(throws: WireError.self) { _ = try WireReader([0] + lists).read(Ignored.self) }
    }

    private indirect enum Chain: Codable, Equatable {
        case end
        case link(Chain)
    }

    @Test(
        "refuse to write what a reader refuses",
        arguments: [(60, true), (64, false), (20_000, false)])
    func deepValue(links: Int, isWritten: Bool) throws {
        let chain = (0..<links).reduce(Chain.end) { chain, _ in .link(chain) }
        guard !isWritten else { return #expect(try copy(chain) == chain) }
        let error = #expect(throws: WireError.self) { try WireWriter().write(chain) }
        #expect(error?.description.hasSuffix("the values are nested deeper than 128") == true)
    }

    private struct Nested: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try list.decode(Nested.self)
        }
    }

    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }
}
