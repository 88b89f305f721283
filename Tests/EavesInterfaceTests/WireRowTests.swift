// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import Testing

/// As `eaves build` generates it for a struct: `CrossingCode.list`.
private let row = WireWriter.members(
    of: Row.self, ["id", "text", "flag", "small", "note", "twice", "parts"])

private struct Row: Codable, Equatable {
    var id: Int
    var text: String
    var flag: Bool
    var small: Int8
    var note: String?
    var twice: Int??
    var parts: [String: [UInt8]]
}

/// Has members of the same names, in another order.
private struct Turned: Codable {
    var text: String
    var id: Int
    var flag = true
    var small: Int8 = 1
    var parts: [String: [UInt8]] = [:]
    var more = [1.5]
}

private func write(_ values: [Row], _ writer: WireWriter) throws {
    guard let rows = try writer.rows(values, of: row) else { return }
    defer { rows.close() }
    for value in values {
        rows.begin()
        rows.member(value.id)
        rows.member(value.text)
        try rows.member(value.flag)
        try rows.member(value.small)
        try rows.member(value.note)
        try rows.member(value.twice)
        try rows.member(value.parts)
        rows.end()
    }
}

/// - Parameter slow: A function that is called for each value that `Codable` reads.
private func read(_ reader: WireReader, slow: () -> Void = {}) throws -> [Row] {
    let rows = try WireRowReader<Row>(reader, row)
    var values: [Row] = []
    guard try rows.next() else { return values }
    let model = try rows.whole()
    values.append(model)
    while try rows.next() {
        var value = model
        do throws(WireOtherForm) {
            try rows.begin()
            value.id = try rows.member()
            value.text = try rows.member()
            value.flag = try rows.member()
            value.small = try rows.member()
            value.note = try rows.optional()
            value.twice = try rows.optional()
            value.parts = try rows.member()
            try rows.end()
        } catch {
            slow()
            value = try rows.whole()
        }
        values.append(value)
    }
    return values
}

@Suite("lists of structs that generated code writes and reads")
struct WireRowTests {
    private static let lists: [[Row]] = [
        [],
        [Row(id: 1, text: "", flag: true, small: -1, parts: [:])],
        (0..<300).map { number in
            Row(
                id: number % 3 == 0 ? -number << 20 : number,
                text: String(repeating: number % 2 == 0 ? "a" : "é", count: number),
                flag: number % 2 == 0, small: Int8(truncatingIfNeeded: number),
                note: number % 3 == 0 ? nil : "note \(number)",
                twice: [nil, .some(nil), 7][number % 3],
                parts: number % 5 == 0 ? ["a": [1, 255], "": []] : [:])
        },
    ]

    private func bytes(_ write: (WireWriter) throws -> Void) rethrows -> [UInt8] {
        let writer = WireWriter()
        try write(writer)
        return writer.bytes
    }

    @Test("have the bytes of Codable, and can be read by it", arguments: lists)
    fileprivate func same(_ list: [Row]) throws {
        let large = [UInt8](repeating: 7, count: 1 << 17)
        let written = try bytes {
            try $0.write(large)
            try write(list, $0)
            try $0.write("end")
        }
        let plain = try bytes {
            try $0.write(large)
            try $0.write(list)
            try $0.write("end")
        }
        let isSame = written == plain
        #expect(isSame)
        let reader = try WireReader(plain)
        #expect(try reader.read([UInt8].self) == large)
        #expect(try read(reader) { Issue.record("Codable reads what generated code can") } == list)
        #expect(try reader.read(String.self) == "end")
        try reader.finish()
    }

    @Test("are left to Codable where members come in another form")
    func otherForm() throws {
        let list = [Turned(text: "é", id: 300), Turned(text: "", id: -1)]
        let expected = list.map { Row(id: $0.id, text: $0.text, flag: true, small: 1, parts: [:]) }
        let other = try bytes { try $0.write(list) }
        var slow = 0
        #expect(try read(WireReader(other)) { slow += 1 } == expected)
        #expect(slow == 1)
        // More names than fit into a byte.
        let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("\($0)", $0) })
        let wide = try bytes {
            try $0.write(many)
            try $0.write(expected)
        }
        let reader = try WireReader(wide)
        #expect(try reader.read([String: Int].self) == many)
        #expect(try read(reader) == expected)
    }

    private struct Hidden: Codable { var id: Int { didSet {} } }

    @Test("are left to Codable if the struct stores something else")
    func stored() throws {
        let list = [Hidden(id: 4), Hidden(id: 5)]
        let one = WireWriter.members(of: Hidden.self, [])
        let other = try bytes { writer in
            let rows = try writer.rows(list, of: one)
            #expect(rows == nil)
        }
        let plain = try bytes { try $0.write(list) }
        #expect(other == plain)
        for names in [["id", "more"], ["other"], []] {
            let rows = try WireRowReader<Hidden>(
                WireReader(plain),
                WireWriter.members(of: Hidden.self, names))
            #expect(try rows.next())
            #expect(throws: WireOtherForm.self) { try rows.begin() }
            #expect(try rows.whole().id == 4)
        }
    }

    @Test("end with an error as Codable does where bytes are damaged, and read no other value")
    func damaged() throws {
        let list = Array(Self.lists[2].prefix(6))
        let whole = try bytes { try write(list, $0) }
        for place in whole.indices {
            for byte in [0, 1, 9, 10, 11, 12, 13, 0x7f, 0x80, 0xff] as [UInt8] {
                var damaged = whole
                damaged[place] = byte
                let plain = try? WireReader(damaged).read([Row].self)
                #expect((try? read(WireReader(damaged))) == plain, "\(byte) at \(place)")
            }
            #expect(throws: (any Error).self) { try read(WireReader(Array(whole[..<place]))) }
        }
    }

    @Test("take as little memory as those that Codable reads")
    func memory() throws {
        let list = [Row](
            repeating: Row(id: 1, text: "", flag: true, small: 1, parts: [:]), count: 500_000)
        let bytes = try bytes { try write(list, $0) }
        #expect(throws: WireError.self) { try read(WireReader(bytes)) }
    }
}
