// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The containers that a type asks a value for, to take it apart.

struct WireMembersReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let frame: WireReading
    var codingPath: [any CodingKey] { frame.codingPath }
    var allKeys: [Key] {
        // A type that asks for them meets the damage when it asks for a value.
        ((try? frame.names()) ?? []).compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        // A type that asks for the member meets the damage then.
        ((try? frame.find(key.stringValue)) ?? nil) != nil
    }

    private func find(_ key: Key) throws -> Int {
        guard let start = try frame.find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "there is no '\(key.stringValue)'"))
        }
        return start
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try frame.reader.cursor(at: find(key)).peek() == WireTag.null
    }
    func decode<Value: WireScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try frame.member(type, key, at: find(key))
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try frame.member(key, at: find(key)) { try $0.value(type) }
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let start = try frame.find(key.stringValue),
            try frame.reader.cursor(at: start).peek() != WireTag.null
        else { return nil }
        return try frame.member(key, at: start) { try $0.wrapped(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try frame.member(key, at: find(key)) { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try frame.member(key, at: find(key)) { try $0.unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder {
        guard let start = try frame.find("super") else {
            throw WireError("there is no 'super'", at: frame.start)
        }
        return try frame.member(WireKey(stringValue: "super"), at: start) { $0 }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try frame.member(key, at: find(key)) { $0 }
    }
}

struct WireListReading: UnkeyedDecodingContainer {
    let frame: WireReading
    var codingPath: [any CodingKey] { frame.codingPath }
    var count: Int? { frame.length }
    var isAtEnd: Bool { frame.isAtEnd }
    var currentIndex: Int { frame.count }

    func decodeNil() throws -> Bool { try frame.nullElement() }
    func decode<Value: WireScalar>(_ type: Value.Type) throws -> Value { try frame.element(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard !isAtEnd, try !decodeNil() else { return nil }
        return try frame.element { try $0.wrapped(type) }
    }
    func decode(_ type: UInt8.Type) throws -> UInt8 {
        try frame.byte() ?? frame.element(type)
    }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try frame.element { try $0.value(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try frame.element { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try frame.element { try $0.unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { try frame.element { $0 } }
}

struct WireValueReading: SingleValueDecodingContainer {
    let frame: WireReading
    var codingPath: [any CodingKey] { frame.codingPath }

    // A value that is cut short is not null, and reading it throws.
    func decodeNil() -> Bool { (try? frame.isNull()) ?? false }
    func decode<Value: WireScalar>(_ type: Value.Type) throws -> Value { try frame.read(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try frame.type is any WireOptional.Type ? frame.wrapped(type) : frame.value(type)
    }
}
