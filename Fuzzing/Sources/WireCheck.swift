// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface

/// Reads bytes as the arguments of a call from another process. What can be read is the same when it is written again.
enum WireCheck {
    /// Values of every form that lie in each other.
    private indirect enum Value: Codable, Equatable {
        case nothing
        case text(String, Int)
        case bytes([UInt8], flag: Bool?)
        case numbers([Int64], UInt8)
        case table([String: Value])
        case list([Value], last: Value?)
    }

    /// A struct of whose lists `eaves build` generates code.
    private struct Row: Codable, Equatable {
        var number: Int
        var text: String
        var flag: Bool
        var note: String?
        var value: Value
    }

    private static let row = WireWriter.members(
        of: Row.self, ["number", "text", "flag", "note", "value"])

    static func run(_ bytes: [UInt8]) {
        check(bytes, Value.self)
        let plain = try? WireReader(bytes).read([Row].self)
        precondition((try? rows(WireReader(bytes))) == plain, "generated code reads another value")
    }

    private static func rows(_ reader: WireReader) throws -> [Row] {
        let rows = try WireRowReader<Row>(reader, row)
        var values: [Row] = []
        guard try rows.next() else { return values }
        let model = try rows.whole()
        values.append(model)
        while try rows.next() {
            var value = model
            do throws(WireOtherForm) {
                try rows.begin()
                value.number = try rows.member()
                value.text = try rows.member()
                value.flag = try rows.member()
                value.note = try rows.optional()
                value.value = try rows.member()
                try rows.end()
            } catch {
                value = try rows.whole()
            }
            values.append(value)
        }
        return values
    }

    private static func check<Value: Codable & Equatable>(_ bytes: [UInt8], _: Value.Type) {
        guard let reader = try? WireReader(bytes), let value = try? reader.read(Value.self) else {
            return
        }
        let writer = WireWriter()
        do {
            try writer.write(value)
            let copy = try WireReader(writer.bytes)
            let again = try copy.read(Value.self)
            precondition(again == value, "a value is another one after a copy")
            try copy.finish()
        } catch {
            preconditionFailure("what was read cannot be written and read again: \(error)")
        }
    }
}
