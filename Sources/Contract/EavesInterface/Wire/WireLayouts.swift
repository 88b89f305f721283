// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Reflection) import Swift
import Synchronization

/// The layouts of the types of this process whose values are plain: numbers, texts, truth values, bytes, and optionals,
/// lists and structs of them.
///
/// Safe from any thread.
enum WireLayouts {
    private static let known = Mutex(Known())

    fileprivate struct Known {
        /// The structs whose `Codable` the compiler has derived, and the names of their properties.
        var structs: [ObjectIdentifier: Set<String>] = [:]
        /// `nil` for types that have none.
        var layouts: [ObjectIdentifier: (any WireLayout)?] = [:]
    }

    /// Notes a struct whose `Codable` the compiler has derived.
    ///
    /// - Parameter properties: The names of its properties, also of computed ones.
    static func add(_ type: Any.Type, properties: Set<String>) {
        known.withLock { known in
            known.structs[ObjectIdentifier(type)] = properties
            // Types that hold values of this one may have a layout now.
            known.layouts = [:]
        }
    }

    /// The layout of a type; `nil` if its values are read and written by its `Codable`.
    static func layout(of type: Any.Type) -> (any WireLayout)? {
        known.withLock { known in
            if let layout = known.layouts[ObjectIdentifier(type)] { return layout }
            let before = known.layouts
            let layout = known.makeLayout(of: type)
            // What was made on the way to nothing may hold a layout without members.
            if layout == nil { known.layouts = before }
            known.layouts.updateValue(layout, forKey: ObjectIdentifier(type))
            return layout
        }
    }
}

extension WireLayouts.Known {
    fileprivate mutating func makeLayout(of type: Any.Type) -> (any WireLayout)? {
        let identifier = ObjectIdentifier(type)
        if let layout = layouts[identifier] { return layout }
        if let type = type as? any WireLaidOut.Type {
            let layout = type.wireLayout { makeLayout(of: $0) }
            layouts.updateValue(layout, forKey: identifier)
            return layout
        }
        guard let properties = structs[identifier] else { return nil }
        let layout = WireMembersLayout()
        layouts[identifier] = layout
        var members: [WireMembersLayout.Member] = []
        let isWhole = _forEachField(of: type) { name, offset, type, _ in
            let name = String(cString: name)
            // A field that is no property belongs to a wrapper of one, or to one that is lazy.
            guard properties.contains(name), let layout = makeLayout(of: type) else { return false }
            members.append(.init(name: name, offset: offset, layout: layout))
            return members.count <= UInt64.bitWidth
        }
        guard isWhole else { return nil }
        layout.members = members
        return layout
    }
}

/// A type of the standard library whose values have a layout, if those inside of them have one.
private protocol WireLaidOut {
    /// - Parameter layout: Gives the layout of another type.
    static func wireLayout(_ layout: (Any.Type) -> (any WireLayout)?) -> (any WireLayout)?
}

extension Optional: WireLaidOut {
    static func wireLayout(_ layout: (Any.Type) -> (any WireLayout)?) -> (any WireLayout)? {
        layout(Wrapped.self).map { WireOptionalLayout<Wrapped>($0) }
    }
}

extension Array: WireLaidOut {
    static func wireLayout(_ layout: (Any.Type) -> (any WireLayout)?) -> (any WireLayout)? {
        if Element.self == UInt8.self { return WireLeafLayout<[UInt8]>() }
        return layout(Element.self).map { WireListLayout<Element>($0) }
    }
}

extension Array: WireLeaf where Element == UInt8 {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.byteArray()
    }
}

extension WireLeaf where Self: FixedWidthInteger {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.number(Self.self)
    }
}

extension WireLaidOut where Self: WireLeaf {
    fileprivate static func wireLayout(
        _ layout: (Any.Type) -> (any WireLayout)?
    ) -> (any WireLayout)? { WireLeafLayout<Self>() }
}

extension Int: WireLaidOut, WireLeaf {}
extension Int8: WireLaidOut, WireLeaf {}
extension Int16: WireLaidOut, WireLeaf {}
extension Int32: WireLaidOut, WireLeaf {}
extension Int64: WireLaidOut, WireLeaf {}
extension UInt: WireLaidOut, WireLeaf {}
extension UInt8: WireLaidOut, WireLeaf {}
extension UInt16: WireLaidOut, WireLeaf {}
extension UInt32: WireLaidOut, WireLeaf {}
extension UInt64: WireLaidOut, WireLeaf {}

extension Bool: WireLaidOut, WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.bool()
    }
}

extension Double: WireLaidOut, WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.double()
    }
}

extension Float: WireLaidOut, WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.float()
    }
}

extension String: WireLaidOut, WireLeaf {
    static func append(_ value: Self, to bytes: WireBytes) { bytes.appendValue(value) }
    static func take(from cursor: inout WireCursor) throws(WireError) -> Self? {
        try cursor.text()
    }
}
