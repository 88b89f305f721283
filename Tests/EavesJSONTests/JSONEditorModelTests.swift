// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

/// Edits random texts in random layouts, the same ones in every run.
@Suite("Editing any JSON")
struct JSONEditorModelTests {
    @Test(
        "has the effect on the text that the same edit has on the value",
        arguments: Soak.sample(0..<200, every: 10))
    func model(seed: Int) throws {
        var random = Numbers(state: UInt64(seed))
        var editor = try JSONEditor(Array(Self.object(depth: 0, &random).utf8))
        var value = try JSONNode.parse(editor.bytes).value
        for step in 0..<20 {
            let path = (0...Int.random(in: 0...2, using: &random)).map { _ in
                Self.names.randomElement(using: &random) ?? ""
            }
            if Bool.random(using: &random) {
                let new: JSON = Bool.random(using: &random) ? .integer(step) : ["x": [nil, "y"]]
                try editor.set(path, to: new)
                value = value.setting(path[...], to: new)
            } else {
                try editor.remove(path)
                value = value.removing(path[...])
            }
            #expect(try JSONNode.parse(editor.bytes).value == value)
        }
    }

    @Test(
        "adds a member to an object by insertion alone", arguments: Soak.sample(0..<200, every: 10))
    func insertion(seed: Int) throws {
        var random = Numbers(state: UInt64(seed))
        let before = Array(Self.object(depth: 0, &random).utf8)
        guard try JSONNode.parse(before).members?.isEmpty == false else { return }
        var editor = try JSONEditor(before)
        try editor.set(["new"], to: ["x": 1])
        let start = zip(before, editor.bytes).prefix { $0 == $1 }.count
        let end = zip(before.reversed(), editor.bytes.reversed()).prefix { $0 == $1 }.count
        #expect(start + end >= before.count)
        try editor.remove(["new"])
        #expect(editor.bytes == before)
    }

    private static let names = ["a", "b", "ä", "\"", "c d"]

    private static func object(depth: Int, _ random: inout Numbers) -> String {
        func space() -> String {
            ["", "", " ", "\n  ", "\r\n\t", "\n\n"].randomElement(using: &random) ?? ""
        }
        let members = names.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        let written = members.map { name -> String in
            let value =
                depth < 3 && Bool.random(using: &random)
                ? object(depth: depth + 1, &random)
                : ["1", "\"}\"", "[ 1,{} ]", "null"].randomElement(using: &random) ?? ""
            let key = JSON.string(name).text(pretty: false)
            return "\(space())\(key)\(space()):\(space())\(value)\(space())"
        }
        return "{" + written.joined(separator: ",") + (written.isEmpty ? space() : "") + "}"
    }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
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
        if let index { members[index] = member } else { members.append(member) }
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
