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

/// The layout of the type that was asked for last: values of one type mostly follow each other.
///
/// One task has it.
struct LastWireLayout {
    private var type: Any.Type?
    private var layout: (any WireLayout)?

    mutating func layout(of type: Any.Type) -> (any WireLayout)? {
        if self.type == type { return layout }
        layout = WireLayouts.layout(of: type)
        self.type = type
        return layout
    }
}

struct WireLayoutList {
    private typealias Maker = @Sendable (inout WireLayoutList) -> (any WireLayout)?
    private typealias Adder = @Sendable (inout WireLayoutList, ArraySlice<Form>) -> Void

    /// A way to make a type of another one.
    enum Form { case list, optional }

    /// The functions that add a type, and one that is made of it, by its name. A program uses few types, and the others
    /// cost no more than this entry.
    private var types: [String: Adder] = [
        "Swift.Int": { $0.addLeaf(Int.self, $1) },
        "Swift.Int8": { $0.addLeaf(Int8.self, $1) },
        "Swift.Int16": { $0.addLeaf(Int16.self, $1) },
        "Swift.Int32": { $0.addLeaf(Int32.self, $1) },
        "Swift.Int64": { $0.addLeaf(Int64.self, $1) },
        "Swift.UInt": { $0.addLeaf(UInt.self, $1) },
        "Swift.UInt8": { $0.addLeaf(UInt8.self, $1) },
        "Swift.UInt16": { $0.addLeaf(UInt16.self, $1) },
        "Swift.UInt32": { $0.addLeaf(UInt32.self, $1) },
        "Swift.UInt64": { $0.addLeaf(UInt64.self, $1) },
        "Swift.Double": { $0.addLeaf(Double.self, $1) },
        "Swift.Float": { $0.addLeaf(Float.self, $1) },
        "Swift.Bool": { $0.addLeaf(Bool.self, $1) },
        "Swift.String": { $0.addLeaf(String.self, $1) },
    ]
    /// The functions that make layouts, for each type that was asked for and may have one.
    private var makers: [ObjectIdentifier: Maker] = [:]
    /// Those that were made; `nil` for types that have none.
    private var layouts: [ObjectIdentifier: (any WireLayout)?] = [:]

    // MARK: Adding

    mutating func add(_ name: String, _ description: @escaping @Sendable () -> WireStruct) {
        types[name] = { description().add(&$0, $1) }
        // Types that hold values of this one may have a layout now.
        layouts = layouts.filter { $0.value != nil }
    }

    /// Adds a struct.
    ///
    /// - Parameter forms: What is made of it, from the inside.
    mutating func add<Value: Sendable>(
        _ type: Value.Type, _ properties: Set<String>, _ forms: ArraySlice<Form>
    ) {
        makers[ObjectIdentifier(type)] = { $0.makeMembers(of: type, properties) }
        addForms(of: type, forms)
    }

    private mutating func addLeaf<Value: WireLeaf>(_ type: Value.Type, _ forms: ArraySlice<Form>) {
        makers[ObjectIdentifier(type)] = { _ in WireLeafLayout<Value>() }
        addForms(of: type, forms)
    }

    private mutating func addForms<Value: Sendable>(
        of type: Value.Type, _ forms: ArraySlice<Form>
    ) {
        let rest = forms.dropFirst()
        switch forms.first {
        case nil: break
        case .list where type == UInt8.self:
            // Bytes are no list of numbers.
            addLeaf([UInt8].self, rest)
        case .list:
            makers[ObjectIdentifier([Value].self)] = { list in
                list.made(type).map { WireListLayout<Value>($0) }
            }
            addForms(of: [Value].self, rest)
        case .optional:
            makers[ObjectIdentifier(Value?.self)] = { list in
                list.made(type).map { WireOptionalLayout<Value>($0) }
            }
            addForms(of: Value?.self, rest)
        }
    }

    /// Adds the type of a name, if it is known, or made of one that is.
    private mutating func add(_ name: String) {
        var name = Substring(name)
        var forms: [Form] = []
        while true {
            if name.hasPrefix(Self.list) {
                name = name.dropFirst(Self.list.count).dropLast()
                forms.append(.list)
            } else if name.hasPrefix(Self.optional) {
                name = name.dropFirst(Self.optional.count).dropLast()
                forms.append(.optional)
            } else {
                break
            }
        }
        types[String(name)]?(&self, forms.reversed()[...])
    }

    private static let list = "Swift.Array<"
    private static let optional = "Swift.Optional<"

    // MARK: Making

    mutating func layout(of type: Any.Type) -> (any WireLayout)? {
        if let layout = layouts[ObjectIdentifier(type)] { return layout }
        let before = layouts
        let layout = made(type)
        // A layout that was made on the way to nothing may hold one without members.
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
