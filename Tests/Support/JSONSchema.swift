// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
import Foundation

/// A schema of `Documentation`, as an editor applies it: the keywords of JSON Schema that ours use.
///
/// An unknown keyword stops the tests, so that none is ignored.
package struct JSONSchema {
    private let root: JSONNode
    private let start: String
    /// Whether objects may only have the members that the schema names, as what we print does today.
    private let isClosed: Bool

    /// - Parameter start: The part of the text to apply, such as `#/$defs/list`.
    package init(_ text: [UInt8], from start: String = "#", isClosed: Bool = false) throws {
        root = try JSONNode.parse(text)
        self.start = start
        self.isClosed = isClosed
    }

    /// Returns a place and a keyword for each rule that a value violates; an empty list for a valid value.
    package func violations(of value: JSONNode) -> [String] {
        check(value, target(start), at: "$")
    }

    private func target(_ reference: String) -> JSONNode {
        reference.split(separator: "/").dropFirst().reduce(root) { node, name in
            guard let found = node[String(name)] else { fatalError("no '\(reference)'") }
            return found
        }
    }

    private func check(_ value: JSONNode, _ schema: JSONNode, at place: String) -> [String] {
        (schema.members ?? []).flatMap { member -> [String] in
            let rule = member.value
            switch member.name {
            case "$schema", "title", "description", "default", "$defs": return []
            case "$ref": return check(value, target(rule.string ?? ""), at: place)
            case "type", "const", "enum", "pattern", "maxLength", "minLength", "minimum",
                "maximum":
                let isKept = keeps(value, member.name, rule)
                return isKept ? [] : ["\(place): \(member.name)"]
            case "not":
                return check(value, rule, at: place).isEmpty ? ["\(place): not"] : []
            case "required":
                guard value.members != nil else { return [] }
                return (rule.elements ?? []).compactMap(\.string).filter { value[$0] == nil }
                    .map { "\(place).\($0): required" }
            case "properties":
                return (value.members ?? []).flatMap { own in
                    rule[own.name].map { check(own.value, $0, at: "\(place).\(own.name)") }
                        ?? (isClosed && schema["additionalProperties"] == nil
                            ? ["\(place).\(own.name): unknown"] : [])
                }
            case "additionalProperties":
                let named = schema["properties"]
                return (value.members ?? []).filter { named?[$0.name] == nil }.flatMap { own in
                    rule.bool == false
                        ? ["\(place).\(own.name): additionalProperties"]
                        : check(own.value, rule, at: "\(place).\(own.name)")
                }
            case "propertyNames":
                return (value.members ?? []).flatMap { own -> [String] in
                    let text = JSON.string(own.name).text(pretty: false)
                    guard let name = try? JSONNode.parse(Array(text.utf8)) else { return [] }
                    return check(name, rule, at: "\(place).\(own.name)")
                }
            case "items":
                return (value.elements ?? []).enumerated().flatMap {
                    check($0.element, rule, at: "\(place)[\($0.offset)]")
                }
            case "uniqueItems":
                let texts = (value.elements ?? []).map { $0.value.text(pretty: false) }
                return Set(texts).count == texts.count ? [] : ["\(place): uniqueItems"]
            default: fatalError("the schema's keyword '\(member.name)' is not known here")
            }
        }
    }

    private func keeps(_ value: JSONNode, _ keyword: String, _ rule: JSONNode) -> Bool {
        switch keyword {
        case "type":
            let types = rule.elements?.compactMap(\.string) ?? [rule.string ?? ""]
            return types.contains { isKind(value, $0) }
        case "const": return value.integer == rule.integer && value.string == rule.string
        case "enum": return (rule.elements ?? []).contains { $0.string == value.string }
        case "minimum":
            return value.integer.map { $0 >= rule.integer ?? 0 } ?? true
        case "maximum":
            return value.integer.map { $0 <= rule.integer ?? 0 } ?? true
        default: break
        }
        guard let text = value.string else { return true }
        switch keyword {
        case "maxLength": return text.unicodeScalars.count <= rule.integer ?? 0
        case "minLength": return text.unicodeScalars.count >= rule.integer ?? 0
        default:
            return text.range(of: rule.string ?? "", options: .regularExpression) != nil
        }
    }

    private func isKind(_ value: JSONNode, _ type: String) -> Bool {
        switch type {
        case "object": value.members != nil
        case "array": value.elements != nil
        case "string": value.string != nil
        case "boolean": value.bool != nil
        case "integer": value.integer != nil
        case "number": value.real != nil
        case "null": value.kind == "null"
        default: fatalError("the schema's type '\(type)' is not known here")
        }
    }
}
