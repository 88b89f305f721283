// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

@Suite("Editing JSON")
struct JSONEditorTests {
    struct Edit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: String
        var path: [String]
        /// The value to set; `nil` removes the member.
        var value: JSON?
        var after: String

        init(
            _ name: String, _ before: String, _ path: [String], _ value: JSON?, _ after: String
        ) {
            (testDescription, self.before, self.path) = (name, before, path)
            (self.value, self.after) = (value, after)
        }

        /// The same case with the line ends of Windows.
        var inCRLF: Edit {
            func changed(_ text: String) -> String {
                String(text.unicodeScalars.flatMap { $0 == "\n" ? "\r\n" : "\($0)" })
            }
            return Edit("\(testDescription) (CRLF)", changed(before), path, value, changed(after))
        }
    }

    @Test(
        "changes only the bytes concerned",
        arguments: (onOneLine + onSeveralLines + removals).flatMap { [$0, $0.inCRLF] })
    func edit(_ edit: Edit) throws {
        var editor = try JSONEditor(Array(edit.before.utf8))
        if let value = edit.value {
            try editor.set(edit.path, to: value)
        } else {
            try editor.remove(edit.path)
        }
        #expect(String(decoding: editor.bytes, as: UTF8.self) == edit.after)
        #expect(Array(edit.after.utf8) == editor.bytes)
    }

    private static let onOneLine = [
        Edit("replaces a value", #"{"a":1 , "b": 2}"#, ["a"], "x", #"{"a":"x" , "b": 2}"#),
        Edit("keeps the same value", #"{"a" : "\u0078"}"#, ["a"], "x", #"{"a" : "\u0078"}"#),
        Edit("adds to an empty object", "{}", ["a"], 1, #"{ "a": 1 }"#),
        Edit("adds to a spacious empty object", " { } \n", ["a"], 1, " { \"a\": 1 } \n"),
        Edit("adds where there is space", #"{ "a": 1 }"#, ["b"], 2, #"{ "a": 1, "b": 2 }"#),
        Edit("adds where there is little", #"{"a": 1}"#, ["b"], 2, #"{"a": 1, "b": 2}"#),
        Edit("adds where there is none", #"{"a":1}"#, ["b"], 2, #"{"a":1,"b":2}"#),
        Edit(
            "takes after the last comma", #"{"a": 1,"b": 2}"#, ["c"], 3, #"{"a": 1,"b": 2,"c": 3}"#),
        Edit(
            "creates the objects that lead there", #"{ "a": 1 }"#, ["b", "c", "d"], true,
            #"{ "a": 1, "b": { "c": { "d": true } } }"#),
        Edit(
            "creates the objects that lead there without space", #"{"a":1}"#, ["b", "c"], [1, 2],
            #"{"a":1,"b":{"c":[1,2]}}"#),
        Edit("replaces what is in the way", #"{"a": [1]}"#, ["a", "b"], 2, #"{"a": {"b": 2}}"#),
        Edit("replaces the whole", "[1]\n", [], [:], "{}\n"),
        Edit("replaces the whole without space", #"{"a":1}"#, [], ["b": 2], #"{"b":2}"#),
        Edit("escapes names", "{}", ["\"\n"], 1, #"{ "\"\n": 1 }"#),
        Edit("finds escaped names", #"{"\u0061": 1}"#, ["a"], 2, #"{"\u0061": 2}"#),
    ]

    private static let onSeveralLines = [
        Edit(
            "adds a line", "{\n  \"a\": 1\n}\n", ["b"], 2, "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
        Edit(
            "takes over tabs", "{\n\t\"a\":1\n}", ["b"], ["c": 2],
            "{\n\t\"a\":1,\n\t\"b\":{\n\t\t\"c\":2\n\t}\n}"),
        Edit(
            "takes over four spaces", "{\n    \"a\": {\n        \"b\": 1\n    }\n}", ["a", "c"],
            ["d": [1]],
            "{\n    \"a\": {\n        \"b\": 1,\n        \"c\": {\n            \"d\": [\n"
                + "                1\n            ]\n        }\n    }\n}"),
        Edit(
            "creates the objects that lead there", "{\n  \"a\": 1\n}", ["b", "c"], "d",
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": \"d\"\n  }\n}"),
        Edit(
            "fills an empty object line by line", "{\n  \"a\": {}\n}", ["a", "b"], 1,
            "{\n  \"a\": {\n    \"b\": 1\n  }\n}"),
        Edit(
            "fills an object with an empty line", "{\n}\n", ["a"], 1, "{\n  \"a\": 1\n}\n"),
        Edit(
            "leaves an object on its line", "{\n  \"a\": { \"b\": 1 }\n}", ["a", "c"], 2,
            "{\n  \"a\": { \"b\": 1, \"c\": 2 }\n}"),
        Edit(
            "adds after a first line that begins with the brace", "{ \"a\": 1,\n  \"b\": 2 }\n",
            ["c"], ["d": 3], "{ \"a\": 1,\n  \"b\": 2,\n  \"c\": {\n    \"d\": 3\n  } }\n"),
        Edit(
            "keeps odd space elsewhere", "\n{\n\n \"a\"  :\t1 ,\n\n \"b\":[ ]\n\n}\n\n", ["a"], 9,
            "\n{\n\n \"a\"  :\t9 ,\n\n \"b\":[ ]\n\n}\n\n"),
        Edit(
            "replaces a value by an object", "{\n  \"a\": 1,\n  \"b\": 2\n}", ["a"], ["c": 3],
            "{\n  \"a\": {\n    \"c\": 3\n  },\n  \"b\": 2\n}"),
    ]

    private static let removals = [
        Edit("removes the only member", #"{ "a": 1 }"#, ["a"], nil, "{}"),
        Edit("removes the only line", "{\n  \"a\": 1\n}\n", ["a"], nil, "{}\n"),
        Edit("removes the first", #"{ "a": 1, "b": 2 }"#, ["a"], nil, #"{ "b": 2 }"#),
        Edit("removes the last", #"{ "a": 1, "b": 2 }"#, ["b"], nil, #"{ "a": 1 }"#),
        Edit(
            "removes a line in the middle", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", ["b"],
            nil,
            "{\n  \"a\": 1,\n  \"c\": 3\n}"),
        Edit(
            "removes the last line", "{\n  \"a\": 1,\n  \"b\": 2\n}", ["b"], nil,
            "{\n  \"a\": 1\n}"),
        Edit(
            "removes inside", "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 2\n}", ["a", "b"], nil,
            "{\n  \"a\": {},\n  \"c\": 2\n}"),
        Edit("removes nothing that is not there", #"{"a": {}}"#, ["a", "b"], nil, #"{"a": {}}"#),
        Edit("removes nothing below a value", #"{"a": 1}"#, ["a", "b"], nil, #"{"a": 1}"#),
        Edit("removes nothing for no path", #"{"a": 1}"#, [], nil, #"{"a": 1}"#),
    ]

    @Test("undoes an addition by removing it", arguments: ["\n", "\r\n"])
    func addAndRemove(lineBreak: String) throws {
        let lines = ["{", "  \"a\": { \"b\": 1 },", "  \"c\": [", "    2", "  ]", "}", ""]
        let before = Array(lines.joined(separator: lineBreak).utf8)
        for path in [["x"], ["x", "y"], ["a", "x"], ["a", "x", "y"]] {
            var editor = try JSONEditor(before)
            try editor.set(path, to: ["deep": [1, "two"]])
            #expect(editor.bytes != before)
            try editor.remove(Array(path.prefix(path.first == "a" ? 2 : 1)))
            #expect(editor.bytes == before)
        }
    }

    @Test("stays valid through many edits")
    func manyEdits() throws {
        var editor = try JSONEditor(Array("{}".utf8))
        for number in 0..<50 {
            try editor.set(["modules", "m\(number)", "enabled"], to: .bool(number % 2 == 0))
        }
        for number in stride(from: 0, to: 50, by: 2) {
            try editor.remove(["modules", "m\(number)"])
        }
        let root = try JSONNode.parse(editor.bytes)
        #expect(root["modules"]?.members?.count == 25)
    }

    @Test("refuses to write an invalid text, and changes nothing")
    func refusal() throws {
        let before = Array(#"{"a": 1}"#.utf8)
        var editor = try JSONEditor(before)
        #expect(throws: JSONSyntaxError.self) {
            try editor.set(Array(repeating: "x", count: JSONNode.depthLimit + 1), to: 1)
        }
        #expect(throws: JSONSyntaxError.self) {
            try editor.set(["b"], to: ["twice": 1, "twice": 2])
        }
        for text in ["", "{", #"{"x": 1, "x": 2}"#] {
            #expect(throws: JSONSyntaxError.self) {
                try editor.set(["b"], toText: Array(text.utf8))
            }
        }
        #expect(editor.bytes == before)
        try editor.set(["b"], to: 2)
        #expect(String(decoding: editor.bytes, as: UTF8.self) == #"{"a": 1, "b": 2}"#)
    }

    @Test("refuses a text that is not JSON")
    func broken() {
        #expect(throws: JSONSyntaxError.self) { try JSONEditor(Array("{".utf8)) }
    }
}

/// Edits random texts in random layouts, the same ones in every run.
@Suite("Editing any JSON")
struct JSONEditorModelTests {
    @Test(
        "has the effect on the text that the same edit has on the value",
        arguments: Soak.sample(0..<200, every: 10))
    func model(seed: Int) throws {
        var random = SeededNumbers(seed: UInt64(seed))
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
        var random = SeededNumbers(seed: UInt64(seed))
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

    private static func object(depth: Int, _ random: inout SeededNumbers) -> String {
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
