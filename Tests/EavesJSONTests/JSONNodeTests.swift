// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
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
