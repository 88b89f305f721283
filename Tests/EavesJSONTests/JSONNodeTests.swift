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
            ("null", nil), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-17", -17),
            ("9223372036854775807", 9_223_372_036_854_775_807),
            ("-9223372036854775808", -9_223_372_036_854_775_808),
            ("9223372036854775808", 9223372036854775808.0), ("1.5", 1.5), ("-0.25e+2", -25.0),
            ("1E+40", 1e40), ("4.94e-324", .number(.leastNonzeroMagnitude)),
            ("1e-999", 0.0),
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
        #expect(root["f"]?.integer == nil)
        #expect(root["w"]?.integer == 2)
        #expect(root["a"]?.elements == [] && root["a"]?.members == nil)
        #expect(root["x"] == nil && root["s"]?["x"] == nil)
        #expect(
            root.members?.map(\.value.kind) == [
                "a string", "true", "a number", "a number", "a number", "an array", "null",
            ])
        #expect(root.kind == "an object")
    }

    @Test("holds integers that a Double would round")
    func exactIntegers() throws {
        #expect(try parse("9007199254740993").value == .integer(9_007_199_254_740_993))
    }

    @Test("reads numbers of any length")
    func longNumbers() throws {
        let nines = String(repeating: "9", count: 300)
        #expect(try parse(nines).value == .number(1e300))
        let digits = String(repeating: "3", count: 100_000)
        #expect(try parse("0.\(digits)").value == .number(1.0 / 3))
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
