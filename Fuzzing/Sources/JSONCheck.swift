// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// Reads a text as JSON and edits it. Each edit of the text must have the effect of the same edit
/// of the value.
enum JSONCheck {
    private static let names = ["a", "modules", "x y", "\u{e4}", "\"\\\u{1}"]
    private static let values: [JSON] = [
        nil, true, 7, .number(0.5), "\u{1F426}", [], ["y": [nil, "z"]],
    ]

    static func run(_ bytes: [UInt8]) {
        guard var editor = try? JSONEditor(bytes), let node = try? JSONNode.parse(bytes) else {
            return
        }
        var value = node.value
        for isPretty in [false, true] {
            let written = Array(value.text(pretty: isPretty).utf8)
            precondition((try? JSONNode.parse(written))?.value == value, "cannot be read back")
        }
        var random = SplitMix64(of: bytes)
        for _ in 0..<4 {
            let path = path(into: value, &random)
            let before = editor.bytes
            do throws(JSONSyntaxError) {
                if Bool.random(using: &random) {
                    let new = values[Int.random(in: 0..<values.count, using: &random)]
                    try editor.set(path, to: new)
                    value = value.setting(path[...], to: new)
                } else {
                    try editor.remove(path)
                    value = value.removing(path[...])
                }
                precondition((try? JSONNode.parse(editor.bytes))?.value == value)
            } catch {
                precondition(editor.bytes == before, "a refused edit changed the text")
            }
        }
    }

    /// Returns a path that follows the members of a value, and may end where there are none.
    private static func path(into value: JSON, _ random: inout SplitMix64) -> [String] {
        var (path, value): ([String], JSON) = ([], value)
        repeat {
            var name = names[Int.random(in: 0..<names.count, using: &random)]
            if case .object(let members) = value,
                let member = members.randomElement(using: &random), Bool.random(using: &random)
            {
                (name, value) = (member.name, member.value)
            } else {
                value = .null
            }
            path.append(name)
        } while path.count < 4 && Bool.random(using: &random)
        return path
    }
}

extension JSON {
    /// Returns the value that an edit should lead to.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSON) -> JSON {
        guard let name = path.first else { return value }
        var members: [Member] = []
        if case .object(let existing) = self { members = existing }
        let index = members.firstIndex { $0.name == name }
        let old = index.map { members[$0].value } ?? .null
        let member = Member(name: name, value: old.setting(path.dropFirst(), to: value))
        if let index { members[index].value = member.value } else { members.append(member) }
        return .object(members)
    }

    fileprivate func removing(_ path: ArraySlice<String>) -> JSON {
        guard let name = path.first, case .object(var members) = self,
            let index = members.firstIndex(where: { $0.name == name })
        else { return self }
        if path.count == 1 {
            members.remove(at: index)
        } else {
            members[index].value = members[index].value.removing(path.dropFirst())
        }
        return .object(members)
    }
}
