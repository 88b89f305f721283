// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Reflection) import Swift
import Synchronization

/// The layouts of the types of this process whose values are plain: numbers, texts, truth values, bytes, structs of them, and
/// optionals and lists of all these.
///
/// A type that stands in no list here has no layout. Whether it is an optional or a list of something could be asked by a
/// conformance; but each such question takes a search through the whole process, 40 microseconds.
///
/// Safe from any thread.
enum WireLayouts {
    private static let known = Mutex(WireLayoutList())

    /// Notes a struct whose `Codable` the compiler has derived, by its qualified name.
    static func add(_ name: String, _ description: @escaping @Sendable () -> WireStruct) {
        known.withLock { $0.add(name, description) }
    }

    /// The layout of a type; `nil` if its values are read and written by its `Codable`.
    static func layout(of type: Any.Type) -> (any WireLayout)? {
        known.withLock { $0.layout(of: type) }
    }
}

struct WireLayoutList {
    private typealias Maker = @Sendable (inout WireLayoutList) -> (any WireLayout)?

    /// The functions that add a type, by its name, until a value is of it. A program uses few types, and the others cost
    /// no more than this entry.
    private var unused: [String: @Sendable (inout WireLayoutList) -> Void] = [
        "Swift.Int": { $0.addLeaf(Int.self) },
        "Swift.Int8": { $0.addLeaf(Int8.self) },
        "Swift.Int16": { $0.addLeaf(Int16.self) },
        "Swift.Int32": { $0.addLeaf(Int32.self) },
        "Swift.Int64": { $0.addLeaf(Int64.self) },
        "Swift.UInt": { $0.addLeaf(UInt.self) },
        "Swift.UInt16": { $0.addLeaf(UInt16.self) },
        "Swift.UInt32": { $0.addLeaf(UInt32.self) },
        "Swift.UInt64": { $0.addLeaf(UInt64.self) },
        "Swift.UInt8": { list in
            list.addLeaf(UInt8.self)
            // Bytes are no list of numbers.
            list.addLeaf([UInt8].self)
        },
        "Swift.Double": { $0.addLeaf(Double.self) },
        "Swift.Float": { $0.addLeaf(Float.self) },
        "Swift.Bool": { $0.addLeaf(Bool.self) },
        "Swift.String": { $0.addLeaf(String.self) },
    ]
    /// The functions that make layouts, for each type that may have one.
    private var makers: [ObjectIdentifier: Maker] = [:]
    /// Those that were made; `nil` for types that have none.
    private var layouts: [ObjectIdentifier: (any WireLayout)?] = [:]

    // MARK: Adding

    mutating func add(_ name: String, _ description: @escaping @Sendable () -> WireStruct) {
        unused[name] = { description().add(&$0) }
        // Types that hold values of this one may have a layout now.
        layouts = layouts.filter { $0.value != nil }
    }

    mutating func add<Value: Sendable>(_ type: Value.Type, _ properties: Set<String>) {
        makers[ObjectIdentifier(type)] = { $0.makeMembers(of: type, properties) }
        addForms(of: type)
    }

    private mutating func addLeaf<Value: WireLeaf>(_ type: Value.Type) {
        makers[ObjectIdentifier(type)] = { _ in WireLeafLayout<Value>() }
        addForms(of: type)
    }

    private mutating func addForms<Value: Sendable>(of type: Value.Type) {
        addOptional(of: type)
        addList(of: type)
        addList(of: Value?.self)
        addOptional(of: [Value].self)
        addList(of: [Value].self)
    }

    private mutating func addOptional<Value: Sendable>(of type: Value.Type) {
        makers[ObjectIdentifier(Value?.self)] = { list in
            list.made(type).map { WireOptionalLayout<Value>($0) }
        }
    }

    private mutating func addList<Value: Sendable>(of type: Value.Type) {
        makers[ObjectIdentifier([Value].self)] = { list in
            list.made(type).map { WireListLayout<Value>($0) }
        }
    }

    // MARK: Making

    mutating func layout(of type: Any.Type) -> (any WireLayout)? {
        if let layout = layouts[ObjectIdentifier(type)] { return layout }
        let before = layouts
        let layout = made(type)
        // What was made on the way to nothing may hold a layout without members.
        if layout == nil { layouts = before }
        layouts.updateValue(layout, forKey: ObjectIdentifier(type))
        return layout
    }

    private mutating func made(_ type: Any.Type) -> (any WireLayout)? {
        let identifier = ObjectIdentifier(type)
        if let layout = layouts[identifier] { return layout }
        if makers[identifier] == nil { add(_typeName(type, qualified: true)) }
        let layout = makers[identifier]?(&self)
        layouts.updateValue(layout, forKey: identifier)
        return layout
    }

    /// Adds the type of a name, or what it is a list or an optional of.
    private mutating func add(_ name: String) {
        var name = Substring(name)
        while let form = Self.forms.first(where: name.hasPrefix) {
            name = name.dropFirst(form.count).dropLast()
        }
        unused.removeValue(forKey: String(name))?(&self)
    }

    private static let forms = ["Swift.Array<", "Swift.Optional<"]

    private mutating func makeMembers(
        of type: Any.Type, _ properties: Set<String>
    ) -> (any WireLayout)? {
        let layout = WireMembersLayout()
        // A member may hold values of the type itself.
        layouts[ObjectIdentifier(type)] = layout
        var members: [WireMembersLayout.Member] = []
        let isWhole = _forEachField(of: type) { name, offset, type, _ in
            let name = String(cString: name)
            // A field that is no property belongs to a wrapper of one, or to one that is lazy.
            guard properties.contains(name), let layout = made(type) else { return false }
            members.append(.init(name: name, offset: offset, layout: layout))
            return members.count <= UInt64.bitWidth
        }
        guard isWhole else { return nil }
        layout.members = members
        return layout
    }
}

extension WireLeaf where Self: FixedWidthInteger {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.number(Self.self)
    }
}

extension Int: WireLeaf {}
extension Int8: WireLeaf {}
extension Int16: WireLeaf {}
extension Int32: WireLeaf {}
extension Int64: WireLeaf {}
extension UInt: WireLeaf {}
extension UInt8: WireLeaf {}
extension UInt16: WireLeaf {}
extension UInt32: WireLeaf {}
extension UInt64: WireLeaf {}

extension Bool: WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.bool()
    }
}

extension Double: WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.double()
    }
}

extension Float: WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.float()
    }
}

extension String: WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.text()
    }
}

extension Array: WireLeaf where Element == UInt8 {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.byteArray()
    }
}
