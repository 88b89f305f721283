// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Changes single values of a text and leaves all the rest as it stands, byte for byte.
///
/// A path names an object's member, its member, and so on. Elements of arrays cannot be named.
package struct JSONEditor: Sendable {
    /// The text as it is now.
    package private(set) var bytes: [UInt8]
    private(set) var root: JSONNode

    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        self.bytes = bytes
        root = try JSONNode.parse(bytes)
    }

    /// Sets the value at a path, and creates the objects that lead there. What stands in the way
    /// without being an object is replaced. A value that is there already is not written again.
    ///
    /// A new member comes last: on a line of its own where the last one before it has one, else on
    /// the same line. An empty object on one line takes after the object that it stands in.
    ///
    /// - Throws: If the new text could not be read back: a path or value that is nested too deep, or
    ///   a value that has a name twice. The text is then as before.
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
                return try insert(member, behind: last, in: node)
            }
            return try replace(node, in: parent, with: .object([member]))
        }
        if node.value != value { try replace(node, in: parent, with: value) }
    }

    /// Removes the member at a path; one that is not there is no error. An object that loses its
    /// last member becomes `{}`. The empty path names no member.
    package mutating func remove(_ path: [String]) throws(JSONSyntaxError) {
        guard let last = path.last else { return }
        let parent = path.dropLast().reduce(root as JSONNode?) { $0?[$1] }
        guard let parent, let members = parent.members,
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
        _ member: JSON.Member, behind last: JSONMember, in object: JSONNode
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
