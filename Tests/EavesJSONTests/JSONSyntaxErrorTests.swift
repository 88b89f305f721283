// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesJSON
import EavesTestSupport
import Testing

@Suite("What is not JSON")
struct JSONSyntaxErrorTests {
    @Test(
        "says what is wrong and where",
        arguments: [
            ("", "1:1: expected a value, found the end of the text"),
            (" \n", "2:1: expected a value, found the end of the text"),
            ("\u{FEFF}{}", "1:1: the text begins with a byte order mark"),
            ("{} x", "1:4: expected the end of the text, found 'x'"),
            ("{}{}", "1:3: expected the end of the text, found '{'"),
            ("[1 2]", "1:4: expected ',' or ']', found '2'"),
            ("[1\n 22]", "2:2: expected ',' or ']', found '22'"),
            (
                "[1",
                "1:3: expected ',' or ']', found the end of the text;"
                    + " the bracket at 1:1 is not closed"
            ),
            ("[", "1:2: expected a value, found the end of the text"),
            ("[,1]", "1:2: expected a value, found ','"),
            ("[1,]", "1:3: a comma follows the last element"),
            (#"{"a":1,}"#, "1:7: a comma follows the last element"),
            (#"{"a":1, ,}"#, "1:9: expected a key in double quotes, found ','"),
            (#"{"a" 1}"#, "1:6: expected ':' after the key, found '1'"),
            (#"{"a":}"#, "1:6: expected a value, found '}'"),
            (#"{"a":1 "b":2}"#, #"1:8: expected ',' or '}', found '"'"#),
            (#"{"a":[1}"#, "1:8: expected ',' or ']', found '}'"),
            ("{a:1}", "1:2: expected a key in double quotes, found 'a'"),
            ("{1:1}", "1:2: expected a key in double quotes, found '1'"),
            (
                "{",
                "1:2: expected a key in double quotes, found the end of the text;"
                    + " the bracket at 1:1 is not closed"
            ),
            (
                "\n {\"a\"",
                "2:6: expected ':' after the key, found the end of the text;"
                    + " the bracket at 2:2 is not closed"
            ),
            ("[1] // one", "1:5: JSON has no comments"),
            ("{ /* */ }", "1:3: JSON has no comments"),
            ("[/]", "1:2: expected a value, found '/'"),
            ("# a", "1:1: expected a value, found '#'"),
            (
                "['a']",
                "1:2: expected a value, found a single quote; strings need double quotes"
            ),
            ("True", "1:1: expected a value, found 'True', did you mean 'true'?"),
            ("[nul]", "1:2: expected a value, found 'nul', did you mean 'null'?"),
            ("undefined", "1:1: expected a value, found 'undefined'"),
            ("truefalse", "1:1: expected a value, found 'truefalse'"),
            ("NaN", "1:1: expected a value, found 'NaN'"),
            ("tru", "1:1: expected a value, found 'tru', did you mean 'true'?"),
            ("\"äöü", "1:1: the string that begins here is not closed on its line"),
            ("[\"ab\n\"]", "1:2: the string that begins here is not closed on its line"),
            (
                "\"a\tb\"",
                "1:3: a string contains the control character 0x9"
            ),
            (#""ä\x""#, #"1:3: unknown escape: 'x' after '\'"#),
            (#""\U0041""#, #"1:2: unknown escape: 'U0041' after '\'"#),
            (#""\"#, #"1:2: unknown escape: the end of the text after '\'"#),
            (#""\u12G4""#, "1:6: expected four hexadecimal digits, found 'G4'"),
            (#""\u12"#, "1:6: expected four hexadecimal digits, found the end of the text"),
            (#""\ud83d""#, #"1:2: \ud83d is half of a surrogate pair; the other half is missing"#),
            (
                #""\ud83d\n""#,
                #"1:2: \ud83d is half of a surrogate pair; the other half is missing"#
            ),
            (
                #""\uD83D\u0041""#,
                #"1:2: \ud83d is half of a surrogate pair; the other half is missing"#
            ),
            (
                #""\udc26\udc27""#,
                #"1:2: \udc26 is half of a surrogate pair; the other half is missing"#
            ),
            (#""\udc26""#, #"1:2: \udc26 is half of a surrogate pair; the other half is missing"#),
            ("01", "1:1: a number has a leading 0"),
            ("[-012]", "1:2: a number has a leading 0"),
            ("+1", "1:1: expected a value, found '+'"),
            (".5", "1:1: expected a value, found '.'"),
            ("-", "1:2: expected a digit, found the end of the text"),
            ("[-]", "1:3: expected a digit, found ']'"),
            ("[1.]", "1:4: expected a digit, found ']'"),
            ("[1e]", "1:4: expected a digit, found ']'"),
            ("[1e+]", "1:5: expected a digit, found ']'"),
            ("-Infinity", "1:2: expected a digit, found 'Infinity'"),
            ("0x10", "1:2: expected the end of the text, found 'x10'"),
            ("1e400", "1:1: the number is too large"),
            ("[-1e999]", "1:2: the number is too large"),
            ("\u{A0}1", "1:1: expected a value, found '\u{A0}'"),
            ("[1,\u{2028}2]", "1:4: expected a value, found '\u{2028}'"),
            ("\0", "1:1: expected a value, found '\u{0}'"),
        ])
    func message(text: String, expected: String) {
        #expect(syntaxError(in: text)?.description == expected)
    }

    @Test(
        "refuses what is not UTF-8",
        arguments: [
            ([0x22, 0xFF, 0x22], 2), ([0x22, 0x80, 0x22], 2),
            ([0x22, 0x61, 0xC3, 0x22], 3), ([0x22, 0xC0, 0xAF, 0x22], 2),
            ([0x22, 0xE0, 0x80, 0xAF, 0x22], 2), ([0x22, 0xED, 0xA0, 0x80, 0x22], 2),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 2), ([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], 2),
            ([0x22, 0xF0, 0x9F, 0x90], 2), ([0x22, 0xE2, 0x82], 2), ([0x22, 0xC3], 2),
            ([0xFF, 0xFE, 0x7B, 0x00], 1), ([0x5B, 0xC3], 2),
            ([0x22, 0x5C, 0xFF, 0x22], 3),
        ] as [([UInt8], Int)])
    func invalidUTF8(bytes: [UInt8], column: Int) throws {
        let error = try #require(syntaxError(in: bytes))
        #expect(error.position == TextPosition(line: 1, column: column))
        guard case .invalidUTF8 = error.problem else {
            Issue.record("\(error)")
            return
        }
    }

    @Test(
        "names both places of a duplicate key",
        arguments: [
            ("{\"a\": 1,\n \"a\": 2}", "2:2: duplicate key 'a', first at 1:2"),
            (#"{"b":{"x":1,"y":2,"x":3}}"#, "1:19: duplicate key 'x', first at 1:7"),
            (#"{"ä":1,"\u00e4":2}"#, "1:8: duplicate key 'ä', first at 1:2"),
            (#"{"\u00e9":1,"e\u0301":2}"#, "1:13: duplicate key 'e\u{301}', first at 1:2"),
            (#"{"":1,"":2}"#, "1:7: duplicate key '', first at 1:2"),
        ])
    func duplicateKey(text: String, expected: String) {
        #expect(syntaxError(in: text)?.description == expected)
    }

    @Test("names both places of a duplicate key among many", arguments: [9, 10, 1000])
    func duplicateAmongMany(count: Int) {
        let lines = (0..<count).map { #""k\#($0)": {}"# } + [#""k3": {}"#]
        let text = "{\n" + lines.joined(separator: ",\n") + "\n}"
        #expect(
            syntaxError(in: text)?.description
                == "\(count + 2):1: duplicate key 'k3', first at 5:1")
    }

    @Test("accepts the same key in several objects")
    func sameKeyElsewhere() throws {
        _ = try parse(#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#)
    }

    @Test("reads nesting up to its limit", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func deepest(opening: String, closing: String) throws {
        let limit = JSONNode.depthLimit
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + (closing == "}" ? "0" : "")
                + String(repeating: closing, count: depth)
        }
        _ = try parse(nested(limit))
        let error = try #require(syntaxError(in: nested(limit + 1)))
        #expect(error.problem == .tooDeep(limit: limit))
        #expect(error.position == TextPosition(line: 1, column: limit * opening.count + 1))
    }

    @Test("does not run out of stack", arguments: ["[", #"{"a":"#, #"[{"a":["#])
    func abyss(opening: String) {
        let error = syntaxError(in: String(repeating: opening, count: 1_000_000))
        #expect(error?.problem == .tooDeep(limit: JSONNode.depthLimit))
    }

    @Test("says how to correct the text")
    func fixes() {
        #expect(syntaxError(in: "[1,]")?.fix == "remove the comma")
        #expect(syntaxError(in: "[1] //")?.fix == "remove the comment")
        #expect(syntaxError(in: #"{"a":1,"a":2}"#)?.fix == "keep one of the two 'a'")
        #expect(syntaxError(in: "[1 2]")?.fix == "write ',' or ']' there")
        #expect(syntaxError(in: "[1")?.fix == "close the bracket, or restore the lost part")
        #expect(syntaxError(in: "\"a\nb\"")?.fix == "close the string with a double quote")
        #expect(syntaxError(in: "[01]")?.fix == "remove the 0")
    }
}

@Suite("Damaged JSON")
struct JSONDamageTests {
    private static let text = #"""
        { "$schema": "./s.json", "ä🐦": [1, -2.5e3, true, false, null],
          "modules": { "u-s": { "library": "v/\u00e4\ud83d\udc26\n.so", "e": {} } },
          "launch": "login" }
        """#

    @Test("refuses each beginning of a text, without a crash")
    func truncated() throws {
        let bytes = Array(Self.text.utf8)
        _ = try JSONNode.parse(bytes)
        for count in 0..<bytes.count {
            let error = syntaxError(in: Array(bytes[..<count]))
            #expect(error != nil, "\(count) bytes were read as JSON")
        }
    }

    @Test("a text with one changed byte is read or refused; if it is read, it can be written")
    func flipped() throws {
        let bytes = Array(Self.text.utf8)
        var (read, refused) = (0, 0)
        // The step has no divisor in common with the number of values: each byte gets others.
        for change in Soak.sample(0..<bytes.count * 256, every: 21) {
            let (offset, value) = (change / 256, UInt8(change % 256))
            if value == bytes[offset] { continue }
            var damaged = bytes
            damaged[offset] = value
            do throws(JSONSyntaxError) {
                let node = try JSONNode.parse(damaged)
                let written = Array(node.value.text(pretty: false).utf8)
                #expect(try JSONNode.parse(written).value == node.value)
                read += 1
            } catch {
                #expect(!error.message.isEmpty && error.position.line <= 4)
                refused += 1
            }
        }
        #expect(read > 0 && refused > 0)
    }
}
