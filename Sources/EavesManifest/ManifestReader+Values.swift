// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

/// Values of the right type, or a note of what is wrong with them.
///
/// `keys` is always the way of keys that leads to the value.
extension ManifestReader {
    /// The members of an object that may have certain keys only.
    mutating func fields<Key: RawRepresentable<String> & CaseIterable>(
        of node: JSONNode, as type: Key.Type, _ keys: String
    ) -> ManifestFields {
        let members = object(node, keys)
        for member in members where Key(rawValue: member.name) == nil {
            let known = Key.allCases.map(\.rawValue)
            note(.unknownKey(member.name, known: known), at: member.nameRange.lowerBound, keys)
        }
        return ManifestFields(members: members)
    }

    mutating func object(_ node: JSONNode, _ keys: String) -> [JSONMember] {
        right(node.members, .object, node, keys) ?? []
    }

    mutating func array(_ node: JSONNode, _ keys: String) -> [JSONNode] {
        right(node.elements, .array, node, keys) ?? []
    }

    mutating func string(_ node: JSONNode, _ keys: String) -> String? {
        right(node.string, .string, node, keys)
    }

    mutating func bool(_ node: JSONNode, _ keys: String) -> Bool? {
        right(node.bool, .bool, node, keys)
    }

    /// A string that can be a name or a path.
    mutating func text(_ node: JSONNode, _ keys: String) -> String? {
        guard let text = string(node, keys) else { return nil }
        if text.isEmpty {
            note(.empty, node, keys)
        } else if text.utf8.contains(0) {
            note(.containsNUL, node, keys)
        } else {
            return text
        }
        return nil
    }

    /// A key behind others, in quotes where it could be mistaken for two.
    static func join(_ keys: String, _ key: String) -> String {
        let isPlain = !key.isEmpty && !key.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == 0x2E }
        return "\(keys).\(isPlain ? key : key.quoted)"
    }

    private mutating func right<Value>(
        _ value: Value?, _ expected: ManifestProblem.Shape, _ node: JSONNode, _ keys: String
    ) -> Value? {
        if value == nil { note(.wrongType(expected: expected, found: node.kind), node, keys) }
        return value
    }
}
