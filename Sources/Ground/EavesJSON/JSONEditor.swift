// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Changes single values of a text and leaves the rest as it is, byte for byte.
///
/// A path names a member of the outermost object, a member of that member, and so on. It cannot
/// name elements of arrays.
package struct JSONEditor: Sendable {
    /// The text with all changes so far.
    package private(set) var bytes: [UInt8]
    private(set) var root: JSONNode

    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        self.bytes = bytes
        root = try JSONNode.parse(bytes)
    }

    /// Sets the value at a path, and creates the objects that lead there. Replaces a value on the
    /// way that is not an object. Does not touch the text if it has the value already.
    ///
    /// A new member comes last: on a line of its own if the member before it has one, and on the same line otherwise.
    /// The first member of an empty object is laid out like the object around it.
    ///
    /// - Throws: ``JSONSyntaxError`` if the new text would not be valid: the path or value is
    ///   nested too deep, or an object in the value has a name twice. The text is then as before.
    package mutating func set(_ path: [String], to value: JSON) throws(JSONSyntaxError) {
        var node = root
        var parent: JSONNode?
        for (index, name) in path.enumerated() {
            if let found = node[name] {
                (parent, node) = (node, found)
                continue
            }
            let rest = path[(index + 1)...].reversed().reduce(value) { inner, name in
                .object([JSON.Member(name: name, value: inner)])
            }
            let member = JSON.Member(name: name, value: rest)
            if let last = node.members?.last {
                return try insert(member, after: last, in: node)
            }
            return try replace(node, in: parent, with: .object([member]))
        }
        if node.value != value { try replace(node, in: parent, with: value) }
    }

    /// Sets the value at a path to a text, which is taken over byte for byte.
    ///
    /// - Throws: ``JSONSyntaxError`` if the new text would not be valid, as `set(_:to:)` does.
    package mutating func set(_ path: [String], toText text: [UInt8]) throws(JSONSyntaxError) {
        var changed = self
        try changed.set(path, to: .null)
        if let node = changed.node(at: path) { try changed.replace(node.range, with: text) }
        self = changed
    }

    /// The text of the value at a path; `nil` if there is none.
    package func text(at path: [String]) -> [UInt8]? {
        node(at: path).map { Array(bytes[$0.range]) }
    }

    private func node(at path: some Sequence<String>) -> JSONNode? {
        path.reduce(root) { $0?[$1] }
    }

    /// Removes the member at a path. A missing member is not an error. An object that loses its last
    /// member becomes `{}`. The empty path names no member.
    package mutating func remove(_ path: [String]) throws(JSONSyntaxError) {
        guard let last = path.last else { return }
        guard let parent = node(at: path.dropLast()), let members = parent.members,
            let index = members.firstIndex(where: { $0.name == last })
        else { return }
        if members.count == 1 {
            try replace(parent.range, with: [.openBrace, .closeBrace])
        } else if index + 1 < members.count {
            let start = members[index].nameRange.lowerBound
            try replace(start..<members[index + 1].nameRange.lowerBound, with: [])
        } else {
            let start = members[index - 1].value.range.upperBound
            try replace(start..<members[index].value.range.upperBound, with: [])
        }
    }

    private mutating func insert(
        _ member: JSON.Member, after last: JSONMember, in object: JSONNode
    ) throws(JSONSyntaxError) {
        var writer = JSONWriter(layout: layout(like: object, at: last.nameRange.lowerBound))
        writer.writeFollowing(member)
        let end = last.value.range.upperBound
        try replace(end..<end, with: writer.bytes)
    }

    private mutating func replace(
        _ node: JSONNode, in parent: JSONNode?, with value: JSON
    ) throws(JSONSyntaxError) {
        var writer = JSONWriter(layout: layout(replacing: node, in: parent))
        writer.write(value)
        try replace(node.range, with: writer.bytes)
    }

    private mutating func replace(
        _ range: Range<Int>, with new: [UInt8]
    ) throws(JSONSyntaxError) {
        var changed = bytes
        changed.replaceSubrange(range, with: new)
        root = try JSONNode.parse(changed)
        bytes = changed
    }
}

/// Derives the layout of new text from the text around it.
extension JSONEditor {
    /// Returns the layout of a new member in `object`; `nil` if there is no object yet.
    ///
    /// - Parameter offset: A place on the line whose indentation counts.
    func layout(like object: JSONNode?, at offset: Int) -> JSONLayout {
        let members = object?.members ?? []
        var layout = JSONLayout.compact
        layout.colon = colon(of: members.last ?? root.members?.last)
        layout.gap = layout.colon == [.colon] ? [] : [.space]
        layout.padding = layout.gap
        if let first = members.first, !startsLine(at: first.nameRange.lowerBound) {
            layout.padding = blanks(before: first.nameRange.lowerBound)
        }
        if let last = members.last {
            if startsLine(at: last.nameRange.lowerBound) {
                breakLines(in: &layout, at: offset)
            } else if members.count > 1 {
                layout.gap = blanks(before: last.nameRange.lowerBound)
            }
        }
        return layout
    }

    /// Returns the layout of a value that replaces another value.
    func layout(replacing node: JSONNode, in parent: JSONNode?) -> JSONLayout {
        var layout = layout(like: parent, at: node.range.lowerBound)
        if node.members?.isEmpty == true, bytes[node.range].contains(.lineFeed) {
            breakLines(in: &layout, at: node.range.lowerBound)
        }
        return layout
    }

    private func breakLines(in layout: inout JSONLayout, at offset: Int) {
        let end = bytes.firstIndex(of: .lineFeed) ?? 0
        let hasReturn = end > 0 && bytes[end - 1] == .carriageReturn
        layout.lineBreak = hasReturn ? [.carriageReturn, .lineFeed] : [.lineFeed]
        let start = bytes[..<offset].lastIndex(of: .lineFeed).map { $0 + 1 } ?? 0
        layout.indentation = Array(bytes[start..<offset].prefix(while: \.isBlank))
        layout.unit = unit
    }

    /// One step of indentation: that of the first member of the outermost object on a line of its own.
    private var unit: [UInt8] {
        let first = root.members?.first { startsLine(at: $0.nameRange.lowerBound) }
        let found = first.map { blanks(before: $0.nameRange.lowerBound) } ?? []
        return found.isEmpty ? [.space, .space] : found
    }

    /// Returns the text between a member's name and its value.
    private func colon(of member: JSONMember?) -> [UInt8] {
        guard let member else { return [.colon, .space] }
        let found = bytes[member.nameRange.upperBound..<member.value.range.lowerBound]
        return found.contains(.lineFeed) ? [.colon, .space] : Array(found)
    }

    private func startsLine(at offset: Int) -> Bool {
        bytes[..<(offset - blanks(before: offset).count)].last == .lineFeed
    }

    private func blanks(before offset: Int) -> [UInt8] {
        Array(bytes[..<offset].reversed().prefix(while: \.isBlank).reversed())
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == .space || self == UInt8(ascii: "\t") }
}
