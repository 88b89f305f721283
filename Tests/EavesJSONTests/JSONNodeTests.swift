// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
@testable import EavesJSON
import EavesTestSupport
import Testing

@Suite("Parsing JSON")
struct JSONNodeTests {
    @Test(
        "reads every kind of value",
        arguments: [
            ("null", nil), ("true", true), ("false", false), ("0", 0), ("-17", -17),
            ("9223372036854775807", 9_223_372_036_854_775_807),
            ("-9223372036854775808", -9_223_372_036_854_775_808),
            ("9007199254740993", 9_007_199_254_740_993), ("1.5", 1.5), ("1e+40", 1e40),
            (#""""#, ""), (#""häuser 🐦""#, "häuser 🐦"), ("[]", []), ("[ ]", []),
            ("[1,[2]]", [1, [2]]), ("{}", [:]), (#"{ "a" : 1 }"#, ["a": 1]),
            ("\r\n\t [ null ,\n1 ] \n", [nil, 1]),
        ] as [(String, JSON)])
    func values(text: String, expected: JSON) throws {
        #expect(try parse(text).value == expected)
    }

    @Test(
        "decodes every escape",
        arguments: [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"a\u0062c"#, "abc"),
            (#"\u0000"#, "\0"), (#"\u00e9\u00C9"#, "éÉ"), (#"\uD83D\uDC26!"#, "🐦!"),
            (#"\uFFFF\ud7ff\ue000"#, "\u{FFFF}\u{D7FF}\u{E000}"),
            (#"\udbff\udfff"#, "\u{10FFFF}"), (#"ä\n"#, "ä\n"), (#"\/ä"#, "/ä"),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(try parse("\"\(text)\"").string == expected)
    }

    @Test("keeps the order of an object's members")
    func order() throws {
        let names = (0..<50).map { "k\(($0 * 7) % 50)" }
        let text = "{" + names.map { #""\#($0)":0"# }.joined(separator: ",") + "}"
        #expect(try parse(text).members?.map(\.name) == names)
    }

    @Test("knows the place of each value and each name")
    func ranges() throws {
        let text = #" { "ä" : [ 10, "x" ] } "#
        let bytes = Array(text.utf8)
        func at(_ range: Range<Int>?) -> String? {
            range.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        let root = try parse(text)
        #expect(at(root.range) == #"{ "ä" : [ 10, "x" ] }"#)
        #expect(at(root.members?.first?.nameRange) == #""ä""#)
        #expect(at(root["ä"]?.range) == #"[ 10, "x" ]"#)
        #expect(root["ä"]?.elements?.map { at($0.range) } == ["10", #""x""#])
    }

    @Test("gives a value only as its own type")
    func accessors() throws {
        let root = try parse(#"{"s":"1","b":true,"i":1,"f":1.5,"w":2.0,"a":[],"n":null}"#)
        #expect(root["s"]?.string == "1" && root["s"]?.integer == nil)
        #expect(root["b"]?.bool == true && root["b"]?.integer == nil)
        #expect(root["i"]?.integer == 1 && root["i"]?.bool == nil)
        #expect(root["a"]?.elements == [] && root["a"]?.members == nil)
        #expect(root["x"] == nil && root["s"]?["x"] == nil)
        #expect(
            root.members?.map(\.value.kind) == [
                "a string", "true", "a number", "a number", "a number", "an array", "null",
            ])
        #expect(root.kind == "an object")
    }

    /// Numbers, with the `Int` that they are, their nearest `Double`, and whether that stands for them.
    private static let numerals: [(String, Int?, Double, Bool)] = [
        ("-0", 0, -0.0, true), ("-0.0", 0, -0.0, true), ("1E+40", nil, 1e40, true),
        ("9223372036854775808", nil, 9_223_372_036_854_775_808, true),
        ("18446744073709551615", nil, 18_446_744_073_709_551_616, false),
        (String(repeating: "9", count: 300), nil, 1e300, false),
        ("1.5", nil, 1.5, true), ("-0.25e+2", -25, -25, true), ("-1.50e1", -15, -15, true),
        ("100.000", 100, 100, true), ("12e-1", nil, 1.2, true), ("0.5e1", 5, 5, true),
        ("3.14159265358979323846", nil, .pi, true), ("4503599627370496.2", nil, 0x1p52, false),
        ("9007199254740993.0", 9_007_199_254_740_993, 0x1p53, false),
        ("9223372036854775807.0", .max, 0x1p63, false), ("1e23", nil, 1e23, false),
        ("1e-999", nil, 0, false),
        ("4.94e-324", nil, .leastNonzeroMagnitude, true), ("1e99", nil, 1e99, true),
        ("0.\(String(repeating: "3", count: 100_000))", nil, 1.0 / 3, true),
    ]

    @Test("keeps the text of each other number, and gives no other one for it", arguments: numerals)
    func numbers(text: String, integer: Int?, real: Double, isReal: Bool) throws {
        let node = try parse(text)
        #expect(node.value.text(pretty: false) == text)
        #expect(JSON.array([["a": node.value]]).text(pretty: false) == #"[{"a":\#(text)}]"#)
        #expect(node.integer == integer)
        #expect(node.real == real && node.real?.sign == real.sign)
        #expect(node.value == .number(JSONNumeral(text)) && JSONNumeral(text).isReal == isReal)
    }
}

/// Parses a text.
func parse(_ text: String) throws(JSONSyntaxError) -> JSONNode {
    try JSONNode.parse(Array(text.utf8))
}

/// Returns the error with which a text is refused; `nil` if it is accepted.
func syntaxError(in bytes: [UInt8]) -> JSONSyntaxError? {
    Result { () throws(JSONSyntaxError) in try JSONNode.parse(bytes) }.failure
}

func syntaxError(in text: String) -> JSONSyntaxError? {
    syntaxError(in: Array(text.utf8))
}

@Suite("Places in a text")
struct TextPositionTests {
    @Test(
        "counts lines and scalars from 1",
        arguments: [
            ("", 0, "1:1"), ("abc", 0, "1:1"), ("abc", 2, "1:3"), ("abc", 3, "1:4"),
            ("a\nb", 1, "1:2"), ("a\nb", 2, "2:1"), ("a\r\nb", 3, "2:1"), ("\n\n\n", 3, "4:1"),
            ("äb", 2, "1:2"), ("🐦b", 4, "1:2"), ("e\u{301}b", 3, "1:3"),
            ("abc", -1, "1:1"), ("abc", 99, "1:4"),
        ])
    func position(text: String, offset: Int, expected: String) {
        #expect(TextLines(Array(text.utf8)).position(of: offset).description == expected)
    }

    /// Counts from the beginning of the text.
    private func position(_ offset: Int, in bytes: [UInt8]) -> TextPosition {
        let before = bytes[..<min(max(offset, 0), bytes.count)]
        let last = before.split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
        let column = 1 + last.count { $0 & 0xC0 != 0x80 }
        return TextPosition(line: 1 + before.count { $0 == 0x0A }, column: column)
    }

    @Test("finds the same places as one who counts")
    func lines() {
        let bytes = Array("\nä\r\n\n  🐦 x\nend".utf8)
        let lines = TextLines(bytes)
        for offset in -1...bytes.count + 1 {
            #expect(lines.position(of: offset) == position(offset, in: bytes))
        }
    }

    @Test("finds places in lines that are as long as the text")
    func longLines() {
        let long = String(repeating: "äb🐦 ", count: 700)
        let bytes = Array("\(long)\n\(long)\(long)".utf8)
        let lines = TextLines(bytes)
        for offset in Soak.sample(0...bytes.count, every: 100) {
            #expect(lines.position(of: offset) == position(offset, in: bytes))
        }
    }

    @Test("orders places as they follow each other")
    func order() {
        let places = [(1, 1), (1, 9), (2, 1), (2, 3)].map { TextPosition(line: $0, column: $1) }
        #expect(places.reversed().sorted() == places)
    }
}

@Suite("Writing JSON")
struct JSONTextTests {
    private let value: JSON = [
        "schema": 1, "list": [1, "two", [:], []], "none": nil, "on": true, "ratio": 0.5,
        "deep": ["a": ["b": -1]],
    ]

    @Test("writes one line without space")
    func compact() {
        #expect(
            value.text(pretty: false)
                == #"{"schema":1,"list":[1,"two",{},[]],"none":null,"on":true,"ratio":0.5,"#
                + #""deep":{"a":{"b":-1}}}"#)
    }

    @Test("writes text for people as jq does")
    func pretty() {
        #expect(
            value.text(pretty: true) == """
                {
                  "schema": 1,
                  "list": [
                    1,
                    "two",
                    {},
                    []
                  ],
                  "none": null,
                  "on": true,
                  "ratio": 0.5,
                  "deep": {
                    "a": {
                      "b": -1
                    }
                  }
                }
                """)
    }

    @Test(
        "escapes only the characters that need it",
        arguments: [
            ("a/b", #""a/b""#), ("\"\\", #""\"\\""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
            ("\0\u{1F}", #""\u0000\u001f""#), ("\u{1B}[31m", #""\u001b[31m""#),
            ("\u{7F}\u{9B}", #""\u007f\u009b""#), ("ä🐦\u{A0}", "\"ä🐦\u{A0}\""),
            ("\r\n", #""\r\n""#),
        ])
    func escapes(text: String, expected: String) {
        #expect(JSON.string(text).text(pretty: false) == expected)
    }

    @Test(
        "writes numbers that read back unchanged",
        arguments: [
            0.1, -1.5e300, .leastNonzeroMagnitude, 1e21, 100, .greatestFiniteMagnitude, -0.0,
        ])
    func numbers(number: Double) throws {
        #expect(try parse(JSON.number(number).text(pretty: false)).value == .number(number))
    }

    @Test(
        "writes null for numbers that JSON does not have",
        arguments: [Double.infinity, -.infinity, .nan])
    func notNumbers(number: Double) {
        #expect(JSON.array([.number(number)]).text(pretty: false) == "[null]")
    }

    @Test("reads back every character")
    func everyCharacter() throws {
        let blocks = Array(stride(from: UInt32(0), to: 0x11_0000, by: 0x400))
        for start in [0] + Soak.sample(blocks, every: 10) {
            let scalars = (start..<start + 0x400).compactMap(Unicode.Scalar.init)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            let written = JSON.string(String(text)).text(pretty: false)
            #expect(try parse(written).string.map { Array($0.unicodeScalars) } == scalars)
        }
    }

    @Test("is written as literals, which keep their order")
    func literals() {
        let name = "x"
        let value: JSON = ["b": "\(name)y", "a": [nil, 1.5, false], "c": [:]]
        #expect(
            value
                == .object([
                    .init(name: "b", value: .string("xy")),
                    .init(name: "a", value: .array([.null, .number(1.5), .bool(false)])),
                    .init(name: "c", value: .object([])),
                ]))
    }

    @Test(
        "quotes foreign text, and shortens it",
        arguments: [
            ("a b", "'a b'"), ("a\nb\u{1B}[0m", "'a\nb\u{1B}[0m'"), ("ä🐦", "'ä🐦'"), ("", "''"),
            (String(repeating: "x", count: 200), "'\(String(repeating: "x", count: 120))…'"),
        ])
    func quoted(text: String, expected: String) {
        #expect(text.quoted == expected)
    }
}
