// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON
import EavesTestSupport
import Testing

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
