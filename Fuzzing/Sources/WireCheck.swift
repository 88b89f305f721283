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

    static func run(_ bytes: [UInt8]) {
        check(bytes, Value.self)
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
