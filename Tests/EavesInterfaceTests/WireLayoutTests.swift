// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesInterface

@Suite("Layouts of plain types")
struct WireLayoutTests {
    private enum ByLayout: Sendable {}
    private enum ByCodable: Sendable {}

    // Each of these exists twice: one is read and written by its layout, the other one by its `Codable`.

    private struct Part<Way: Sendable>: Codable, Equatable, Sendable, CustomStringConvertible {
        var name: String
        private var hidden: UInt16 = 65_535
        var parts: [Part]

        init(_ name: String = "part", _ parts: [Part] = []) {
            self.name = name
            self.parts = parts
        }

        var description: String { "\(name) \(hidden) \(parts)" }
    }

    private struct Whole<Way: Sendable>: Codable, Equatable, Sendable, CustomStringConvertible {
        var id = -5
        let text: String
        var isOn = true
        var weight = 1.5
        var ratio: Float = -0.25
        var note: String?
        var count: Int?
        var flag: Bool?
        var tags = ["", "a text that is longer than fifteen bytes", "é😀"]
        var bytes: [UInt8] = [0, 255, 7]
        var small: [Int8?] = [nil, -128, 127, nil]
        var part = Part<Way>()
        var other: Part<Way>?
        var list: [Part<Way>?] = []
        var computed: Int { id + 1 }

        init(_ text: String = "text") { self.text = text }

        var description: String {
            "\(id) \(text) \(isOn) \(weight) \(ratio) \(note, default: "-") \(count, default: "-") "
                + "\(flag, default: "-") \(tags) \(bytes) \(small) \(part) \(other, default: "-") "
                + "\(list)"
        }
    }

    private struct Values {
        static let texts = ["", "text", String(repeating: "x", count: 300)]

        static func all<Way: Sendable>(_: Way.Type) -> [Whole<Way>] {
            var full = Whole<Way>("full")
            full.note = "a note"
            full.count = 1 << 40
            full.flag = false
            full.part.parts = [Part("outer", [Part(), Part("deep", [Part()])]), Part()]
            full.other = Part("other")
            full.list = [nil, Part("listed"), nil]
            full.bytes = []
            full.tags = []
            return texts.map { Whole($0) } + [full]
        }
    }

    init() {
        add(Part<ByLayout>.self, ["name", "hidden", "parts"])
        add(
            Whole<ByLayout>.self,
            [
                "id", "text", "isOn", "weight", "ratio", "note", "count", "flag", "tags", "bytes",
                "small", "part", "other", "list", "computed",
            ])
    }

    private func add<Value: Codable & Sendable>(_ type: Value.Type, _ properties: [String]) {
        WireTable().add(derived: _typeName(type, qualified: true)) {
            WireStruct(type, properties: properties)
        }
    }

    private func bytes(_ value: some Encodable) throws -> [UInt8] {
        let writer = WireWriter()
        try writer.write(value)
        return writer.bytes
    }

    private func read<Value: Decodable>(_ bytes: [UInt8], _ type: Value.Type) throws -> Value {
        let reader = try WireReader(bytes)
        let value = try reader.read(type)
        try reader.finish()
        return value
    }

    @Test("are used for structs that were added, and what holds them")
    func use() {
        #expect(WireLayouts.layout(of: Whole<ByLayout>.self) is WireMembersLayout)
        #expect(WireLayouts.layout(of: [Part<ByLayout>?].self) != nil)
        #expect(WireLayouts.layout(of: Whole<ByCodable>.self) == nil)
        #expect(WireLayouts.layout(of: [Part<ByCodable>].self) == nil)
        #expect(WireLayouts.layout(of: [String: Int].self) == nil)
    }

    @Test("write what Codable would mean, and read it")
    func same() throws {
        let pairs = zip(Values.all(ByLayout.self), Values.all(ByCodable.self))
        for (value, twin) in pairs {
            let written = try bytes(value)
            #expect(try read(written, Whole<ByLayout>.self) == value)
            // Names may stand in another order, so that only what they mean is compared.
            #expect(try read(written, Whole<ByCodable>.self) == twin)
            #expect(try read(try bytes(twin), Whole<ByLayout>.self) == value)
            #expect(try read(try bytes([value, value]), [Whole<ByLayout>].self) == [value, value])
        }
        #expect(try read(try bytes(Whole<ByLayout>?.none), Whole<ByLayout>?.self) == nil)
    }

    @Test("read what Codable reads, and refuse what it refuses, however a message is damaged")
    func damaged() throws {
        var random = SeededNumbers()
        var (read, refused) = (0, 0)
        for value in Values.all(ByLayout.self) {
            let whole = try bytes(value)
            for _ in 0..<1500 {
                var message = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<message.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: message[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: message[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    case 2: message.remove(at: place)
                    default: message.insert(UInt8.random(in: 0...15, using: &random), at: place)
                    }
                    if message.isEmpty { message = [0] }
                }
                let (one, other) = (
                    outcome(message, ByLayout.self), outcome(message, ByCodable.self)
                )
                #expect(one == other, "\(message)")
                if one.isRead { read += 1 } else { refused += 1 }
            }
        }
        #expect(read > 500 && refused > 500)
    }

    private struct Outcome: Equatable {
        let isRead: Bool
        /// The value, or the error.
        let text: String
    }

    private func outcome<Way: Sendable>(_ message: [UInt8], _: Way.Type) -> Outcome {
        do {
            return Outcome(isRead: true, text: "\(try read(message, Whole<Way>.self))")
        } catch {
            return Outcome(isRead: false, text: "\(error)")
        }
    }

    @Test("end with an error for values that lie in each other too deep")
    func deep() throws {
        // One name, and members with a list of members, again and again.
        let message: [UInt8] =
            [1, 5] + Array("parts".utf8)
            + [[UInt8]](repeating: [9, 1, 10], count: 100_000).joined()
        #expect(throws: (any Error).self) { try read(message, Part<ByLayout>.self) }
        #expect(throws: (any Error).self) { try read(message, [[Part<ByLayout>]].self) }
    }

    @propertyWrapper
    private struct Doubled: Codable, Sendable {
        var wrappedValue: Int
    }

    private struct Wrapped: Codable, Sendable {
        @Doubled var number = 2
    }

    private struct Lazy: Codable, Sendable {
        var number = 1
        lazy var next = number + 1
    }

    private struct Mixed: Codable, Sendable {
        var part = Part<ByLayout>()
        var table = ["one": Part<ByLayout>()]
    }

    @Test("are not used for structs with fields that are no properties, or no plain values")
    func others() throws {
        add(Wrapped.self, ["number"])
        add(Lazy.self, ["number", "next"])
        add(Mixed.self, ["part", "table"])
        #expect(WireLayouts.layout(of: Wrapped.self) == nil)
        #expect(WireLayouts.layout(of: Lazy.self) == nil)
        #expect(WireLayouts.layout(of: Mixed.self) == nil)
        #expect(WireLayouts.layout(of: [Mixed?].self) == nil)
        #expect(try read(try bytes(Wrapped()), Wrapped.self).number == 2)
        let copy = try read(try bytes(Mixed()), Mixed.self)
        #expect(copy.table == Mixed().table && copy.part == Mixed().part)
    }
}
