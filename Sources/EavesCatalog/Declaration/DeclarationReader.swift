// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// Takes values out of a parsed object and collects what is wrong with them, all of it.
///
/// What is wrong reads as a value that will do, so that reading goes on; the caller throws if
/// ``problems`` is not empty at the end.
struct DeclarationReader {
    private(set) var problems: [DeclarationProblem] = []
    /// In the order of the text.
    var problemsInOrder: [DeclarationProblem] {
        let start = TextPosition(line: 1, column: 1)
        return problems.sorted { ($0.position ?? start) < ($1.position ?? start) }
    }
    /// `nil` where places do not matter.
    private let lines: TextLines?
    /// Whether a key that nobody knows is left alone: a newer `eaves build` may have written it.
    private let allowsUnknownKeys: Bool

    init(lines: TextLines?, allowsUnknownKeys: Bool) {
        self.lines = lines
        self.allowsUnknownKeys = allowsUnknownKeys
    }

    mutating func report(_ cause: DeclarationProblem.Cause, _ key: String, at offset: Int) {
        problems.append(
            DeclarationProblem(cause, key: key, position: lines?.position(of: offset)))
    }

    /// Checks that it is an object, and that all of its keys are known.
    mutating func checkKeys(of node: JSONNode, _ key: String, known: [String]) -> Bool {
        guard let members = node.members else {
            report(
                .wrongType(expected: "an object", found: node.kind), key, at: node.range.lowerBound)
            return false
        }
        guard !allowsUnknownKeys else { return true }
        for member in members where !known.contains(member.name) {
            report(
                .unknownKey(member.name, known: known), key, at: member.nameRange.lowerBound)
        }
        return true
    }

    /// A text that must be there.
    mutating func text(_ name: String, of node: JSONNode, _ key: String, _ rule: NameRule) -> String
    {
        guard node[name] != nil else {
            report(.missingKey(name), key, at: node.range.lowerBound)
            return ""
        }
        return optionalText(name, of: node, key, rule) ?? ""
    }

    mutating func optionalText(
        _ name: String, of node: JSONNode, _ key: String, _ rule: NameRule
    ) -> String? {
        guard let value = node[name] else { return nil }
        return text(value, Self.join(key, name), rule)
    }

    mutating func text(_ value: JSONNode, _ key: String, _ rule: NameRule) -> String? {
        guard let text = value.string else {
            report(
                .wrongType(expected: "a string", found: value.kind), key,
                at: value.range.lowerBound)
            return nil
        }
        if !rule.allows(text) {
            report(.badName(text, rule), key, at: value.range.lowerBound)
        }
        return text
    }

    /// The elements of a list with the way to each; none if there is no list.
    mutating func elements(
        _ name: String, of node: JSONNode, _ key: String
    ) -> [(key: String, value: JSONNode)] {
        guard let value = node[name] else { return [] }
        let key = Self.join(key, name)
        guard let elements = value.elements else {
            report(
                .wrongType(expected: "an array", found: value.kind), key,
                at: value.range.lowerBound)
            return []
        }
        return elements.enumerated().map { ("\(key)[\($0.offset)]", $0.element) }
    }

    static func join(_ key: String, _ name: String) -> String {
        key.isEmpty ? name : "\(key).\(name)"
    }
}
